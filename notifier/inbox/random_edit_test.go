package inbox_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

// editOne edits a notice that was sent, first in SQL.
func (p *play) editOne(t *rapid.T) {
	n := p.anyNotice(t)
	if rapid.IntRange(0, 3).Draw(t, "anew") > 0 {
		n.Revision++
		n.Title = fmt.Sprintf("Notice %d, revision %d", n.ID, n.Revision)
	}
	if p.h != nil {
		p.h.edit(n)
	}
	p.editRow(t, n)
}

func (p *play) editRow(t *rapid.T, n *notifier.Notice) {
	p.edit(n.ID, n.Revision, p.now())
	if err := p.s.EditAll(t.Context(), []notifier.Delivery{p.s.delivery(t, n, p.seq)})[0]; err != nil {
		t.Fatal(err)
	}
}

func (p *play) readKeys(t *rapid.T) {
	p.model.expire(p.now())
	keys, found := []string{anyKey(t)}, true
	for rapid.Bool().Draw(t, "one more") {
		keys = append(keys, anyKey(t))
	}
	for _, key := range keys {
		found = found && p.find(key) >= 0
	}
	if found {
		p.turnThose(p.now(), func(e *notifier.Entry) bool { return slices.Contains(keys, e.Key) })
	}
	badge, err := p.s.ReadKeys(t.Context(), p.seq, keys)
	p.answers(t, badge, err, found)
}

func (p *play) readSubject(t *rapid.T) {
	p.model.expire(p.now())
	key := anyKey(t)
	p.turnThose(p.now(), func(e *notifier.Entry) bool { return e.Key == key })
	badge, err := p.s.ReadSubject(t.Context(), p.seq, strings.TrimPrefix(key, "like:"), 0)
	p.answers(t, badge, err, true)
}

// poll polls for entries since a random row, page by page.
func (p *play) poll(t *rapid.T) {
	p.model.expire(p.now())
	q := notifier.PollQuery{Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	if len(p.rows) > 0 && rapid.Bool().Draw(t, "since one") {
		q.Since = rapid.SampledFrom(p.rows).Draw(t, "row").At + int64(rapid.IntRange(-1, 1).Draw(t, "or so"))
	}
	newest := q.Since
	var want []notifier.Entry
	for _, e := range p.rows {
		if newest = max(newest, e.At); e.At > q.Since {
			want = append(want, e)
		}
	}
	var all notifier.Page
	for {
		poll, err := p.s.Poll(t.Context(), p.seq, q)
		if err != nil || poll.Unread != p.unread() || poll.Ver != p.ver || poll.Newest != newest || len(poll.Entries) > q.Limit {
			t.Fatalf("polled %+v, %v; want ver %d, %d unread, newest %d", poll, err, p.ver, p.unread(), newest)
		}
		all.Entries = append(all.Entries, poll.Entries...)
		if poll.Next == 0 {
			break
		}
		if poll.Next != poll.Entries[len(poll.Entries)-1].At {
			t.Fatalf("the page that ends with %+v is followed by the one before %d", poll.Entries, poll.Next)
		}
		q.After = poll.Next
	}
	p.shows(t, all, want)
}
