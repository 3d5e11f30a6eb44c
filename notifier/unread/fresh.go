package unread

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	freshFor = time.Minute // so long a notice that came into an inbox is looked for by its number
	maxFresh = 1000        // of a partition, in a round
)

// note hears of inboxes that were just saved, with what came into them lately.
func (c *counts) note(all []notifier.Snapshot) {
	if c.rdb == nil {
		return
	}
	since := c.now().Add(-freshFor).UnixMilli()
	for i := range all {
		w := &c.walks[keys.Partition(all[i].Seq)-c.first]
		for _, row := range all[i].Rows {
			if row.At < since || len(w.fresh) >= maxFresh {
				break
			}
			if w.fresh == nil {
				w.fresh = map[int64]bool{}
			}
			w.fresh[row.NoticeID] = true
		}
	}
}
