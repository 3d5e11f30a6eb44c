package inbox_test

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
)

func (p *play) open(t *rapid.T) {
	p.model.expire(p.now())
	before, opened := slices.Clone(p.rows), p.opened
	keep := slices.Clone(p.kept)
	turned := p.model.open(p.now())
	page, err := p.s.Open(t.Context(), p.seq)
	if err != nil || page.Unread != p.unread() || page.Turned != int64(turned) || page.Ver != p.ver {
		t.Fatalf("page %+v, %v; want ver %d", page, err, p.ver)
	}
	if turned > 0 && page.Opened != max(opened, 1) {
		t.Fatalf("opened %d before, want %d", page.Opened, opened)
	}
	p.shows(t, page, before)
	for _, e := range page.Entries {
		if kept := slices.Contains(keep, e.NoticeID); e.New != (!e.Read && !kept) {
			t.Fatalf("%s: new %v, read %v", e.Key, e.New, e.Read)
		}
	}
}

func (p *play) look(t *rapid.T) {
	p.model.expire(p.now())
	q := notifier.Query{Unread: rapid.Bool().Draw(t, "unread only"), Limit: rapid.IntRange(1, 4).Draw(t, "limit")}
	var all notifier.Page
	for {
		page, err := p.s.Look(t.Context(), p.seq, q)
		if err != nil || page.Unread != p.unread() || page.Ver != p.ver || len(page.Entries) > q.Limit {
			t.Fatalf("page %+v, %v; want ver %d, %d unread", page, err, p.ver, p.unread())
		}
		all.Entries = append(all.Entries, page.Entries...)
		if page.Older == 0 {
			break
		}
		if q.Before > 0 && page.Older >= q.Before {
			t.Fatalf("the page before %d is followed by the one before %d", q.Before, page.Older)
		}
		q.Before = page.Older
	}
	want := slices.Clone(p.rows)
	if q.Unread {
		want = slices.DeleteFunc(want, func(e notifier.Entry) bool { return e.Read })
	}
	p.shows(t, all, want)
}

func (p *play) shows(t *rapid.T, page notifier.Page, rows []notifier.Entry) {
	line := func(list []notifier.Entry) string {
		var b strings.Builder
		for _, e := range list {
			fmt.Fprintln(&b, e.Key, e.NoticeID, e.At, e.Read)
		}
		return b.String()
	}
	if got, want := line(page.Entries), line(rows); got != want {
		t.Fatalf("the page shows\n%swant\n%s", got, want)
	}
}
