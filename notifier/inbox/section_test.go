package inbox_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// The scripts find scope and app in the stored content, so no text of a sender may pass for them.
func TestSectionsAreThoseOfTheNoticesWhateverTheirTextsSay(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		claim := `","scope":"claimed","app":"claimed","reason":"x","app":"claimed`
		data := json.RawMessage(`{"type":"x","scope":"claimed","a":"","app":"claimed","n":12345678901234567890}`)
		for i, c := range []struct{ typ, scope, app string }{
			{"like", "", ""}, {"like", "x.y", `quo"te\ü,`}, {"a.b", "", `quo"te\ü,`}, {"like", "x", ""},
		} {
			n := s.notice(int64(i+1), "photo:1:a7/b")
			n.Type, n.Scope, n.App.Name, n.App.ID = c.typ, c.scope, c.app, int64(i+1)
			n.Title, n.Body, n.Extras.Data = claim, claim, data
			n.Target = notifier.Target{Roles: []string{`role","app":"claimed`}}
			s.deliver(t, 42, n)
		}
		if _, _, err := s.MarkRead(t.Context(), 42, "a2/like:photo:1:a7/b"); err != nil {
			t.Fatal(err)
		}
		before := s.sound(t, 42)
		for by, want := range map[string][]notifier.NameCount{
			inbox.ByType:  {{Name: "like", Rows: 3, Unread: 2}, {Name: "a.b", Rows: 1, Unread: 1}},
			inbox.ByScope: {{Name: "x", Rows: 1, Unread: 1}, {Name: "", Rows: 2, Unread: 2}, {Name: "x.y", Rows: 1}},
			inbox.ByApp:   {{Name: "", Rows: 2, Unread: 2}, {Name: `quo"te\ü,`, Rows: 2, Unread: 1}},
		} {
			got, err := s.CountBy(t.Context(), 42, by)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("by %s, %v:\n%s", by, err, diff)
			}
		}
		for app, want := range map[string]int64{"": 2, `quo"te\ü,`: 1, "claimed": 0} {
			if badge, err := s.SectionBadge(t.Context(), 42, notifier.Section{App: &app}); err != nil || badge.Unread != want {
				t.Errorf("app %q: %+v, %v; want %d", app, badge, err, want)
			}
		}
		same(t, "counting", before, s.stored(t, 42))
		none := ""
		heard := s.listen(t, 42)
		badge, err := s.ReadSection(t.Context(), 42, notifier.Section{Scope: &none}, "")
		if got := events(heard.heard(t)); err != nil || badge.Unread != 1 || got != "read a3/a.b:photo:1:a7/b, read a1/like:photo:1:a7/b" {
			t.Errorf("read: %+v, %v, published %q", badge, err, got)
		}
		s.sound(t, 42)
	})
}

// Opening a section reads its entries but for those that the user marked as unread, and no others; opening it again writes nothing.
func TestOpeningASectionReadsItAloneAndLeavesWhatWasMarkedAsUnread(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		for i, scope := range []string{"x", "y", "x", "x"} {
			n := s.notice(int64(i+1), "photo:"+strconv.Itoa(i+1))
			n.Scope, n.Recipients = scope, 2
			s.deliver(t, 42, n)
		}
		if _, _, err := s.MarkUnread(t.Context(), 42, key(3)); err != nil {
			t.Fatal(err)
		}
		heard := s.listen(t, 42)
		s.clock.pass(time.Minute)
		scope := "x"
		page, err := s.OpenSection(t.Context(), 42, notifier.Section{Scope: &scope})
		if err != nil || titles(page) != "4* 3 1*" || page.Turned != 2 || page.Unread != 2 || page.Ver != s.clock.now().UnixMilli() || page.Older != 0 || page.Opened != 0 {
			t.Fatalf("opened: %q, %+v, %v", titles(page), page, err)
		}
		for _, e := range page.Entries {
			if e.Read {
				t.Errorf("entry %s was read before", e.Key)
			}
		}
		if got := events(heard.heard(t)); got != "read "+key(4)+", read "+key(1) {
			t.Errorf("published %q", got)
		}
		before := s.sound(t, 42)
		if before.State["kept"] != "3" || before.State["unread"] != "2" {
			t.Errorf("state %v", before.State)
		}
		if _, read, err := s.counted(t.Context(), 4); err != nil || read != 1 {
			t.Errorf("notice 4 has %d readers, %v", read, err)
		}
		page, err = s.OpenSection(t.Context(), 42, notifier.Section{Scope: &scope})
		if err != nil || titles(page) != "4 3 1" || page.Turned != 0 || page.Unread != 2 {
			t.Errorf("opened again: %q, %+v, %v", titles(page), page, err)
		}
		same(t, "opening it again", before, s.stored(t, 42))
		if page, err := s.OpenSection(t.Context(), 42, notifier.Section{Types: []string{"order"}}); err != nil || len(page.Entries) != 0 || page.Turned != 0 {
			t.Errorf("a section without entries: %+v, %v", page, err)
		}
	})
}

// A section is read as a whole, although its page has the newest entries alone.
func TestOpeningALongSectionReadsAllOfItAndShowsItsFirstPage(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.Inbox = inbox.New(s.rdb, s.k, inbox.Options{Cap: 300, Now: s.clock.now})
		s.fill(t, 42, 1, 230)
		page, err := s.OpenSection(t.Context(), 42, notifier.Section{Types: []string{"like"}})
		if err != nil || page.Turned != 230 || page.Unread != 0 || len(page.Entries) != inbox.PageSize || page.Entries[0].NoticeID != 230 || page.Older != page.Entries[inbox.PageSize-1].At {
			t.Errorf("%d entries, %d turned, %d unread, older %d, %v", len(page.Entries), page.Turned, page.Unread, page.Older, err)
		}
		s.sound(t, 42)
	})
}

func TestWhatWasArchivedUnreadReturnsSoAfterOpeningsAndALossOfRedis(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		h := s.archiveSite(t, 0)
		if _, _, err := s.MarkUnread(t.Context(), 42, key(1)); err != nil { // so that an opening removes ids that are no longer needed
			t.Fatal(err)
		}
		s.archive(t, 2, 4)
		if _, err := s.Open(t.Context(), 42); err != nil {
			t.Fatal(err)
		}
		s.archive(t, 3) // read by now
		h.save(s.read(t, 42))
		s.lose(t, 42)
		m, badge, err := s.Unarchive(t.Context(), 42, keysOf([]int64{2, 3, 4}))
		if err != nil || badge.Unread != 3 || cmp.Diff(m.Unread, keysOf([]int64{4, 2})) != "" {
			t.Errorf("back came %+v, badge %+v, %v; want 4 and 2 unread", m, badge, err)
		}
		at := s.sound(t, 42)
		if at.State["kept"] != "1" {
			t.Errorf("kept %q, want only what the user marked as unread", at.State["kept"])
		}
		if page, err := s.Open(t.Context(), 42); err != nil || page.Unread != 1 || page.Turned != 2 {
			t.Errorf("the next opening reads %+v, %v", page, err)
		}
	})
}
