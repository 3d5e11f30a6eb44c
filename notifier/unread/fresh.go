package unread

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
)

const (
	freshFor = time.Minute // how long after delivery the counts of a notice are looked up directly
	maxFresh = 1000        // notices of one partition in one round
)

// note records the recent deliveries to inboxes that were just saved.
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
