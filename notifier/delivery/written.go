package delivery

import (
	"strconv"
	"strings"
	"time"
)

// written reports how long the entries took that are in their inboxes now. Entries that were tried
// before, or that repeat a delivery after a loss of Redis, are left out. Times that
// begin by the clock of Redis are negative if it is ahead.
func (w *Worker) written(entries []Entry, errs []error) {
	if w.c.Written == nil {
		return
	}
	now := w.c.Now()
	for i, e := range entries {
		if e.Tries > 0 || e.Again || errs != nil && errs[i] != nil {
			continue
		}
		if e.ID == "" {
			w.c.Written(now.Sub(e.Taken), false)
		} else if added, ok := addedAt(e.ID); ok {
			w.c.Written(now.Sub(added), true)
		}
	}
}

// addedAt returns the time at which an entry was added to the stream, by the clock of Redis: its id
// begins with it.
func addedAt(id string) (time.Time, bool) {
	ms, _, _ := strings.Cut(id, "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n), err == nil
}
