package inbox_test

import (
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// readSection reads a scope or a type, all of it or up to an entry, and checks the counts after it, and sometimes before.
func (p *play) readSection(t *rapid.T) {
	p.model.expire(p.now())
	of := notifier.Section{Types: []string{rapid.SampledFrom([]string{"like", "order"}).Draw(t, "type")}}
	if rapid.Bool().Draw(t, "by scope") {
		scope := rapid.SampledFrom(scopes).Draw(t, "scope")
		of = notifier.Section{Scope: &scope}
	}
	if rapid.Bool().Draw(t, "counted before") { // which removes what has expired
		p.counts(t, &of)
	}
	upto, at, found := "", int64(notifier.MaxAt), true
	if rapid.Bool().Draw(t, "up to an entry") {
		upto, at = anyKey(t), 0
		if i := p.find(upto); i < 0 {
			found = false
		} else if at = p.rows[i].At; rapid.Bool().Draw(t, "by time") {
			upto = strconv.FormatInt(at, 10)
		}
	}
	if found {
		p.turnThose(p.now(), func(e *notifier.Entry) bool { return e.At <= at && holds(&of, e) })
	}
	badge, err := p.s.ReadSection(t.Context(), p.seq, of, upto)
	p.answers(t, badge, err, found)
	p.counts(t, &of)
}

// openSection opens a scope or a type: its entries are shown as they were, and are read but for those that the user marked as unread.
func (p *play) openSection(t *rapid.T) {
	p.model.expire(p.now())
	of := notifier.Section{Types: []string{rapid.SampledFrom([]string{"like", "order"}).Draw(t, "type")}}
	if rapid.Bool().Draw(t, "by scope") {
		scope := rapid.SampledFrom(scopes).Draw(t, "scope")
		of = notifier.Section{Scope: &scope}
	}
	before, keep := slices.Clone(p.rows), slices.Clone(p.kept)
	p.turnThose(p.now(), func(e *notifier.Entry) bool { return holds(&of, e) && !slices.Contains(keep, e.NoticeID) })
	page, err := p.s.OpenSection(t.Context(), p.seq, of)
	if err != nil || page.Unread != p.unread() || page.Ver != p.ver {
		t.Fatalf("page %+v, %v; want ver %d, %d unread", page, err, p.ver, p.unread())
	}
	p.shows(t, page, slices.DeleteFunc(before, func(e notifier.Entry) bool { return !holds(&of, &e) }))
	for _, e := range page.Entries {
		if kept := slices.Contains(keep, e.NoticeID); e.New != (!e.Read && !kept) {
			t.Fatalf("%s: new %v, read %v", e.Key, e.New, e.Read)
		}
	}
}

// holds reports whether an entry of the model, all of which have the type like, belongs to a section.
func holds(of *notifier.Section, e *notifier.Entry) bool {
	return (of.Types == nil || slices.Contains(of.Types, "like")) && (of.Scope == nil || *of.Scope == e.Scope)
}

// counts checks the badge of a section, and the counts by scope and type.
func (p *play) counts(t *rapid.T, of *notifier.Section) {
	want := int64(0)
	byScope, byType := map[string]notifier.NameCount{}, map[string]notifier.NameCount{}
	for i := range p.rows {
		e := &p.rows[i]
		for name, counts := range map[string]map[string]notifier.NameCount{e.Scope: byScope, "like": byType} {
			c := counts[name]
			c.Name, c.Rows = name, c.Rows+1
			if !e.Read {
				c.Unread++
			}
			counts[name] = c
		}
		if !e.Read && holds(of, e) {
			want++
		}
	}
	if got, err := p.s.SectionBadge(t.Context(), p.seq, *of); err != nil || got != (notifier.Badge{Unread: want, Inbox: want, Ver: p.ver}) {
		t.Fatalf("the badge of %+v is %+v, %v; want %d unread in version %d", of, got, err, want, p.ver)
	}
	for by, want := range map[string]map[string]notifier.NameCount{inbox.ByScope: byScope, inbox.ByType: byType} {
		got, err := p.s.CountBy(t.Context(), p.seq, by)
		if err != nil || len(got) != len(want) {
			t.Fatalf("by %s: %+v, %v; want %v", by, got, err, want)
		}
		for _, c := range got {
			if c != want[c.Name] {
				t.Fatalf("by %s: %+v, want %+v", by, c, want[c.Name])
			}
		}
	}
}
