package handlers_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// post is an open announcement that started this many hours ago.
func post(id int64, hours int, pinned, read bool) notifier.OpenAnnouncement {
	begin := noon.Add(-time.Duration(hours) * time.Hour)
	return notifier.OpenAnnouncement{
		ID: id, Type: "announcement", Title: fmt.Sprintf("Post %d <new>", id), Body: "One *word*\n\nTwo", Link: "/news/1",
		StartsAt: begin, EndsAt: noon.AddDate(0, 0, 10), Pinned: pinned, Read: read, CreatedAt: begin,
	}
}

// board is a fake of announcements that records its calls.
type board struct {
	*world
	items []notifier.OpenAnnouncement
	did   []string
	err   error // returned by every call
}

// newAnnouncements creates a board with these announcements, open to alice. Her inbox has 2 unread entries.
func newAnnouncements(t testing.TB, items ...notifier.OpenAnnouncement) *board {
	t.Helper()
	b := &board{items: items}
	b.world = newWorld(t, func(w *world) {
		w.inbox.badge = func(int64) (notifier.Badge, error) {
			return notifier.Badge{Unread: 2, Inbox: 2, Ver: 50}, nil
		}
		w.posts.list = func(r notifier.Reader) (notifier.OpenAnnouncements, error) { return b.list(r), b.err }
		w.posts.find = func(r notifier.Reader, id int64) (notifier.OpenAnnouncement, error) {
			if p := b.of(r, id); p != nil {
				return *p, nil
			}
			return notifier.OpenAnnouncement{}, fmt.Errorf("find: %w", notifier.ErrNotFound)
		}
		w.posts.change = func(verb string, r notifier.Reader, id int64) (notifier.Badge, error) {
			p := b.of(r, id)
			if p == nil {
				return notifier.Badge{}, fmt.Errorf("mark: %w", notifier.ErrNotFound)
			}
			p.Read = verb == "read"
			b.did = append(b.did, fmt.Sprint(verb, " ", id))
			return b.list(r).Badge(), nil
		}
		w.posts.all = func(r notifier.Reader) (ids []int64, badge notifier.Badge, err error) {
			for i := range b.items {
				if p := &b.items[i]; !p.Read {
					p.Read = true
					ids = append(ids, p.ID)
				}
			}
			b.did = append(b.did, "all")
			return ids, b.list(r).Badge(), nil
		}
	})
	return b
}

func (b *board) list(r notifier.Reader) notifier.OpenAnnouncements {
	if r.Seq != alice.Seq || r.Audience != alice.Audience {
		return notifier.OpenAnnouncements{AVer: 900}
	}
	posts := notifier.OpenAnnouncements{Items: append([]notifier.OpenAnnouncement{}, b.items...), AVer: 900 + int64(len(b.did))}
	for i := range b.items {
		if b.items[i].Read {
			posts.Read++
		} else {
			posts.Unread++
		}
	}
	return posts
}

func (b *board) of(r notifier.Reader, id int64) *notifier.OpenAnnouncement {
	for i := range b.items {
		if b.items[i].ID == id && r.Seq == alice.Seq {
			return &b.items[i]
		}
	}
	return nil
}

// wantDid checks the calls since the last check.
func (b *board) wantDid(t *testing.T, want ...string) {
	t.Helper()
	if got := strings.Join(b.did, ", "); got != strings.Join(want, ", ") {
		t.Errorf("did %q, want %q", got, strings.Join(want, ", "))
	}
	b.did = nil
}

// fields returns the fields of a form, as name, value pairs.
func (r reply) fields(form string) []string {
	var fields []string
	for _, f := range r.page.Find(form).First().Find("input").EachIter() {
		fields = append(fields, f.AttrOr("name", ""), f.AttrOr("value", ""))
	}
	return fields
}

// submit submits a form on a page as a browser without script does.
func (w *world) submit(user string, from reply, form string) reply {
	w.t.Helper()
	if from.count(form) != 1 {
		w.t.Fatalf("%d forms %s:\n%s", from.count(form), form, from.body)
	}
	return w.post(user, from.attr(form, "action"), from.fields(form)...)
}
