package inbox_test

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

func (p *play) snooze(t *rapid.T) {
	key := anyKey(t)
	until := p.s.clock.in(time.Duration(rapid.IntRange(1, 30).Draw(t, "until")) * 10 * time.Second)
	found := p.find(key) >= 0
	if found {
		p.putAway([]string{key}, p.now(), until.UnixMilli())
	}
	badge, err := p.s.Snooze(t.Context(), p.seq, key, until)
	p.answers(t, badge, err, found)
	if found {
		p.savedNow(t)
	}
}

// savedNow records that SQL was given the present state at once. The mark is still there.
func (p *play) savedNow(t *rapid.T) {
	if p.h != nil {
		if p.saved = p.clone(); p.marked(t) {
			p.again = p.ver
		}
	}
}

// wakeThose brings back those snoozed entries, and returns how many came back.
func (p *play) wakeThose(due func(r *notifier.ArchivedRow) bool) (woken int) {
	rows := slices.DeleteFunc(slices.Clone(p.archived), func(r notifier.ArchivedRow) bool { return !r.Snoozed || !due(&r) })
	if len(rows) == 0 || p.h == nil {
		return 0
	}
	slices.SortFunc(rows, func(a, b notifier.ArchivedRow) int {
		return cmp.Or(cmp.Compare(a.ArchivedAt, b.ArchivedAt), cmp.Compare(a.At, b.At))
	})
	first := p.next(p.now())
	for i, r := range rows {
		at := p.findArchived(r.Key)
		n, known := p.h.notices[r.NoticeID]
		if !known || n.State == notifier.StateRetracted || r.Expires > 0 && r.Expires <= p.now() {
			p.leaveArchive(at, first, false)
		} else {
			e := notifier.Entry{Key: r.Key, NoticeID: r.NoticeID, At: first + int64(i), Content: notifier.Content{Revision: n.Revision, Scope: n.Scope}}
			if r.Expires > 0 {
				e.ExpiresAt = n.ExpiresAt
			}
			p.rows = slices.Insert(p.rows, 0, e)
			p.archived = slices.Delete(slices.Clone(p.archived), at, at+1)
			p.count(r.NoticeID, 0, -1)
			woken++
		}
		p.keepOnly(func(id int64) bool { return id != r.NoticeID })
	}
	p.ver = first + int64(len(rows)) - 1
	for len(p.rows) > p.limit {
		p.pushOut(p.ver)
	}
	p.forget(p.now())
	return woken
}

func (p *play) wakeOne(t *rapid.T) {
	key := anyKey(t)
	woken := p.wakeThose(func(r *notifier.ArchivedRow) bool { return r.Key == key })
	badge, err := p.s.Wake(t.Context(), p.seq, key)
	p.answers(t, badge, err, woken > 0)
	if woken > 0 {
		p.savedNow(t)
	}
	if _, err := p.s.Wake(t.Context(), p.seq, key); !errors.Is(err, notifier.ErrNotFound) {
		t.Fatalf("waking it again: %v", err)
	}
}

func (p *play) wakeDue(t *rapid.T) {
	now := p.now()
	woken := p.wakeThose(func(r *notifier.ArchivedRow) bool { return r.ArchivedAt <= now })
	if got, err := p.s.WakeDue(t.Context(), []int64{p.seq}); err != nil || got != woken {
		t.Fatalf("woken %d, %v; want %d", got, err, woken)
	}
	if woken > 0 {
		p.savedNow(t)
	}
	if got, err := p.s.WakeDue(t.Context(), []int64{p.seq}); err != nil || got != 0 {
		t.Fatalf("woken %d again, %v", got, err)
	}
}
