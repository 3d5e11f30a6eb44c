package announcement

import (
	"context"
	"sync"

	"github.com/carillonhq/carillon/notifier"
)

// texts caches the content of announcements.
type texts struct {
	mu sync.Mutex
	by map[int64]*notifier.Announcement
}

// maxTexts is the number of cached texts above which texts of announcements that are not open are dropped.
const maxTexts = 4 * notifier.MaxOpen

// read returns the content of some open announcements, in the revision of the index or a later one. It reads missing
// texts from SQL; announcements that are no longer in SQL are missing from the result.
func (b *Announcements) read(ctx context.Context, items []item) (map[int64]*notifier.Announcement, error) {
	found, missing := b.texts.find(items)
	if len(missing) == 0 {
		return found, nil
	}
	all, err := b.store.Announcements(ctx, missing)
	if err != nil {
		return nil, err
	}
	for i := range all {
		found[all[i].ID] = &all[i]
	}
	b.keep(all)
	return found, nil
}

func (t *texts) find(items []item) (found map[int64]*notifier.Announcement, missing []int64) {
	found = make(map[int64]*notifier.Announcement, len(items))
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, i := range items {
		if text := t.by[i.id]; text != nil && text.Revision >= i.rev {
			found[i.id] = text
		} else {
			missing = append(missing, i.id)
		}
	}
	return found, missing
}

// keep caches texts, and drops texts of closed announcements when there are many.
func (b *Announcements) keep(all []notifier.Announcement) {
	b.texts.mu.Lock()
	defer b.texts.mu.Unlock()
	if len(b.texts.by)+len(all) > maxTexts {
		open := map[int64]*notifier.Announcement{}
		for _, r := range b.rooms {
			if x := r.cached.Load(); x != nil {
				for _, i := range x.items {
					if text := b.texts.by[i.id]; text != nil {
						open[i.id] = text
					}
				}
			}
		}
		b.texts.by = open
	}
	for i := range all {
		if have := b.texts.by[all[i].ID]; have == nil || have.Revision <= all[i].Revision {
			b.texts.by[all[i].ID] = &all[i]
		}
	}
}
