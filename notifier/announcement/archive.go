package announcement

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// archiveLife is how long the current announcements are cached, because every page needs them.
const archiveLife = time.Second

// Archived is the part of SQL that an Archive needs.
type Archived interface {
	CurrentAnnouncements(ctx context.Context) ([]notifier.Announcement, error)
	// ReadBy returns which of the given announcements a reader has read.
	ReadBy(ctx context.Context, r notifier.Reader, ids []int64) (map[int64]bool, error)
}

// Archive shows announcements from SQL while Redis is unavailable: announcements that are open by this
// machine's clock, with the reader's reads as last written to SQL. It is read-only, and its results
// have no version.
type Archive struct {
	SQL Archived
	Now func() time.Time // nil: time.Now

	mu      sync.Mutex
	current []notifier.Announcement
	asOf    time.Time
}

// List returns the same as Announcements.List.
func (a *Archive) List(ctx context.Context, r notifier.Reader) (notifier.OpenAnnouncements, error) {
	listed, err := a.list(ctx, r)
	if err != nil {
		return notifier.OpenAnnouncements{}, fmt.Errorf("list the stored announcements of user %d: %w", r.Seq, err)
	}
	return listed, nil
}

// Find returns the same as Announcements.Find.
func (a *Archive) Find(ctx context.Context, r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
	listed, err := a.List(ctx, r)
	if err != nil {
		return notifier.OpenAnnouncement{}, err
	}
	for _, p := range listed.Items {
		if p.ID == id {
			return p, nil
		}
	}
	return notifier.OpenAnnouncement{}, fmt.Errorf("find the stored announcement %d for user %d: %w", id, r.Seq, notifier.ErrNotFound)
}

func (a *Archive) list(ctx context.Context, r notifier.Reader) (listed notifier.OpenAnnouncements, err error) {
	now := time.Now
	if a.Now != nil {
		now = a.Now
	}
	current, err := a.read(ctx, now())
	if err != nil {
		return listed, err
	}
	var ids []int64
	var open []*notifier.Announcement
	for i := range current {
		if n := &current[i]; n.PhaseAt(now()) == notifier.PhaseOpen && n.ShownTo(r) {
			ids, open = append(ids, n.ID), append(open, n)
		}
	}
	if len(ids) == 0 {
		return listed, nil
	}
	read, err := a.SQL.ReadBy(ctx, r, ids)
	if err != nil {
		return listed, err
	}
	for _, n := range open {
		listed.Items = append(listed.Items, newOpenAnnouncement(n, read[n.ID]))
		if read[n.ID] {
			listed.Read++
		} else {
			listed.Unread++
		}
	}
	notifier.SortOpenAnnouncements(listed.Items)
	return listed, nil
}

// read returns the announcements that are not over, cached for up to a second. Concurrent callers do
// not wait for one query, because SQL may be slow, too.
func (a *Archive) read(ctx context.Context, now time.Time) ([]notifier.Announcement, error) {
	a.mu.Lock()
	current, age := a.current, now.Sub(a.asOf)
	a.mu.Unlock()
	if age >= 0 && age < archiveLife {
		return current, nil
	}
	current, err := a.SQL.CurrentAnnouncements(ctx)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.current, a.asOf = current, now
	return current, nil
}
