package inbox_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// searchSite gives user 42 entries of three types, some of them read.
func (s *site) searchSite(t *testing.T, h *shelf, n int64) {
	t.Helper()
	for id := int64(1); id <= n; id++ {
		e := s.notice(id, fmt.Sprintf("photo:%d", id))
		e.Type = []string{"like", "order.late", "like", "stock"}[id%4]
		e.Title = fmt.Sprintf("Notice %d", id)
		e.Body = []string{"Aisle SEVEN", "倉庫", "Straße", "", "aisle seven, ÉTÉ"}[id%5]
		if h != nil {
			h.keep(e)
		}
		s.deliver(t, 42, e)
		if id%3 == 0 {
			if _, _, err := s.MarkRead(t.Context(), 42, e.Key()); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// types lists counted types, such as `like 3, stock 1`.
func types(list []notifier.TypeCount) string {
	parts := make([]string, len(list))
	for i, c := range list {
		parts[i] = fmt.Sprint(c.Type, " ", c.Count)
	}
	return strings.Join(parts, ", ")
}

func TestASearchFindsByTypeAndTextAndCountsTypes(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.searchSite(t, nil, 12)
		heard, before := s.listen(t, 42), s.stored(t, 42)
		all := "like 6, order.late 3, stock 3"
		for _, c := range []struct {
			q           notifier.Query
			rows, types string
		}{
			{notifier.Query{Filter: notifier.Filter{Type: "stock"}}, "11 7 3", all},
			{notifier.Query{Filter: notifier.Filter{Type: "nope"}}, "", all},
			{notifier.Query{Filter: notifier.Filter{Type: "%"}}, "", all},
			{notifier.Query{Filter: notifier.Filter{Text: "Aisle Seven"}}, "10 9 5 4", "like 2, order.late 2"},
			{notifier.Query{Filter: notifier.Filter{Text: "aisle", Type: "like"}}, "10 4", "like 2, order.late 2"},
			{notifier.Query{Filter: notifier.Filter{Text: "aisle"}, Unread: true}, "10 5 4", "like 2, order.late 1"},
			{notifier.Query{Filter: notifier.Filter{Text: "notice 1"}}, "12 11 10 1", "like 2, order.late 1, stock 1"},
			{notifier.Query{Filter: notifier.Filter{Text: "STRASSE"}}, "12 7 2", "like 2, stock 1"},
			{notifier.Query{Filter: notifier.Filter{Text: "庫"}}, "11 6 1", "like 1, order.late 1, stock 1"},
			{notifier.Query{Filter: notifier.Filter{Text: "/photos"}}, "", ""}, // the link is not searched
			{notifier.Query{Filter: notifier.Filter{Text: "x"}}, "", ""},
			{notifier.Query{Filter: notifier.Filter{Text: strings.Repeat("x", 101)}}, "", ""},
		} {
			page, err := s.Look(t.Context(), 42, c.q)
			if err != nil || titles(page) != c.rows || types(page.Types) != c.types || page.Unread != 8 || page.Older != 0 {
				t.Errorf("%+v: %q, types %q, %+v, %v; want %q, %q", c.q, titles(page), types(page.Types), page, err, c.rows, c.types)
			}
		}
		for unread, want := range map[bool]string{false: all, true: "like 4, order.late 2, stock 2"} {
			if got, err := s.Types(t.Context(), 42, unread); err != nil || types(got) != want {
				t.Errorf("unread %v: types %q, %v; want %q", unread, types(got), err, want)
			}
		}
		same(t, "searching", before, s.stored(t, 42))
		if got := heard.heard(t); len(got) != 0 {
			t.Errorf("published %v, want nothing", got)
		}
	})
}

func TestASearchReadsTheNewestTwoHundredEntriesInPages(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 210, Now: s.clock.now})
		s.fill(t, 42, 1, 205)
		var seen []int64
		q, pages := notifier.Query{Filter: notifier.Filter{Type: "like"}}, 0
		for {
			page, err := s.Look(t.Context(), 42, q)
			if err != nil || types(page.Types) != "like 200" {
				t.Fatalf("types %q, %v", types(page.Types), err)
			}
			for _, e := range page.Entries {
				seen = append(seen, e.NoticeID)
			}
			if pages++; page.Older == 0 || pages > 10 {
				break
			}
			q.Before = page.Older
		}
		if len(seen) != 200 || pages != 7 || seen[0] != 205 || seen[199] != 6 || !slices.IsSortedFunc(seen, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("%d entries on %d pages: %v", len(seen), pages, seen)
		}
		if got, err := s.Types(t.Context(), 42, true); err != nil || types(got) != "like 200" {
			t.Errorf("types %q, %v", types(got), err)
		}
	})
}

func TestTheArchiveAndAColdInboxAreSearchedAlike(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.beside(0)
		s.searchSite(t, h, 12)
		if _, _, err := s.Archive(t.Context(), 42, []string{"like:photo:10", "stock:photo:11", "like:photo:4"}); err != nil {
			t.Fatal(err)
		}
		s.writeBehind(t, h, 42)
		stored := &inbox.Archive{SQL: h, Now: s.clock.now}
		s.lose(t, 42)
		for _, c := range []struct {
			q           notifier.Query
			rows, types string
		}{
			{notifier.Query{Archived: true, Filter: notifier.Filter{Text: "aisle"}}, "10 4", "like 2"},
			{notifier.Query{Archived: true, Filter: notifier.Filter{Type: "stock"}}, "11", "like 2, stock 1"},
			{notifier.Query{Filter: notifier.Filter{Text: "aisle"}}, "9 5", "order.late 2"},
			{notifier.Query{Filter: notifier.Filter{Text: "aisle"}, Unread: true}, "5", "order.late 1"},
		} {
			for name, look := range map[string]func() (notifier.Page, error){
				"SQL":   func() (notifier.Page, error) { return stored.Look(t.Context(), 42, c.q) },
				"Redis": func() (notifier.Page, error) { return s.Look(t.Context(), 42, c.q) },
			} {
				if page, err := look(); err != nil || titles(page) != c.rows || types(page.Types) != c.types {
					t.Errorf("%s, %+v: %q, types %q, %v; want %q, %q", name, c.q, titles(page), types(page.Types), err, c.rows, c.types)
				}
			}
		}
	})
}

func TestAPollIsNarrowedByTypeAndText(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.searchSite(t, nil, 12)
		for _, c := range []struct {
			f    notifier.Filter
			want string
		}{
			{notifier.Filter{Type: "stock"}, "11 7 3"},
			{notifier.Filter{Text: "AISLE"}, "10 9 5 4"},
			{notifier.Filter{Text: "aisle", Type: "like"}, "10 4"},
			{notifier.Filter{Type: "nope"}, ""},
			{notifier.Filter{Text: strings.Repeat("x", 101)}, ""},
		} {
			var got []string
			q := notifier.PollQuery{Filter: c.f, Limit: 2}
			for range 6 {
				p, err := s.Poll(t.Context(), 42, q)
				if err != nil || p.Unread != 8 {
					t.Fatalf("%+v, %v", p, err)
				}
				if len(p.Entries) > 0 {
					got = append(got, polled(p))
				}
				if q.After = p.Next; q.After == 0 {
					break
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%+v: %q, want %q", c.f, got, c.want)
			}
		}
	})
}

// search compares a search with the same filter applied to all rows.
func (p *play) search(t *rapid.T) {
	p.model.expire(p.now())
	q := notifier.Query{Unread: rapid.Bool().Draw(t, "unread only"), Limit: maxRows, Filter: notifier.Filter{
		Type: rapid.SampledFrom([]string{"", "like", "nope"}).Draw(t, "type"),
		Text: rapid.SampledFrom([]string{"1", "NOTICE", "notice 2", "line 2", "absent"}).Draw(t, "text"),
	}}
	page, err := p.s.Look(t.Context(), p.seq, q)
	if err != nil || page.Unread != p.unread() || page.Ver != p.ver {
		t.Fatalf("page %+v, %v; want ver %d, %d unread", page, err, p.ver, p.unread())
	}
	plain, err := p.s.Look(t.Context(), p.seq, notifier.Query{Unread: q.Unread, Limit: maxRows})
	if err != nil {
		t.Fatal(err)
	}
	var want []notifier.Entry
	var count int64
	for _, e := range plain.Entries {
		if strings.Contains(strings.ToLower(e.Title+"\n"+e.Body), strings.ToLower(q.Text)) {
			if count++; q.Type != "nope" {
				want = append(want, e)
			}
		}
	}
	p.shows(t, page, want)
	if found := types(page.Types); count > 0 && found != fmt.Sprint("like ", count) || count == 0 && found != "" {
		t.Fatalf("types %q, want like %d", found, count)
	}
}

const maxRows = 200
