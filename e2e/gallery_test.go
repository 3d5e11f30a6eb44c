package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	_ "modernc.org/sqlite" // the driver of a site of one machine
)

// gallery is a demonstration with everything to look at: inboxes of all sizes,
// each once for a guise because opening one changes it, and a notice that
// stays on its way.
type gallery struct {
	*instance
	people  map[string]*person
	sending string // the path of a notice on its way
	posts   posts
	sent    atomic.Int64
	edit    sync.Mutex // held by who reads a revision and saves the next
}

// guise is a window as somebody has it, at a desk or on a phone, and in which
// themes it is looked at: a page that is open changes with the theme of the system.
type guise struct {
	kind   string
	widths []int64
	themes []string
}

func (g guise) String() string { return g.kind }

// examined says where axe, which takes longest, looks at a page: at a desk in the first
// theme, on a phone in the last, so that it sees each theme, and each layout, once.
func (g guise) examined(theme string, width int64) bool {
	if g.kind == "desk" {
		return theme == g.themes[0] && width == g.widths[len(g.widths)-1]
	}
	return theme == g.themes[len(g.themes)-1] && width == g.widths[0]
}

var guises = []guise{
	{"desk", []int64{768, 1280}, []string{"light", "dark"}},
	{"phone", []int64{320}, []string{"light", "dark"}},
}

// crossed has each theme and each width once, for pages made of the same parts as
// those that are seen in every guise: what a theme changes does not depend on the width.
var crossed = []guise{
	{"desk", []int64{768, 1280}, []string{"light"}},
	{"phone", []int64{320}, []string{"dark"}},
}

// each is the users of that name, one for each guise.
func each(name string) string {
	var names []string
	for _, g := range guises {
		names = append(names, name+"-"+g.String())
	}
	return strings.Join(names, ", ")
}

// crowd is more people than are sent to without asking.
const crowd = 1204

// crowded is those people.
func crowded() []string {
	lines := make([]string, crowd)
	for i := range lines {
		lines[i] = fmt.Sprintf("picker%04d crowd", i)
	}
	return lines
}

func openGallery(t *testing.T) *gallery {
	t.Helper()
	s := alone(t)
	lines := []string{"none", "vera staff"}
	for _, name := range []string{"one", "thirty", "many", "hard"} {
		lines = append(lines, strings.Split(each(name), ", ")...)
	}
	s.people(append(lines, crowded()...)...)
	for audience, name := range postReaders {
		readers := strings.Split(each(name), ", ")
		s.peopleOf(audience, readers...)
		lines = append(lines, readers...)
	}
	g := &gallery{instance: s.serve("--demo", "--addr", "127.0.0.1:0"), people: map[string]*person{}}
	for _, line := range lines {
		name := firstWord(line)
		g.people[name] = g.person(t, name)
	}
	vera := g.people["vera"]
	vera.sends(each("one"), usual[0])
	for _, n := range usualNotices(30) {
		vera.sends(each("thirty"), n)
	}
	for _, n := range usualNotices(200) {
		vera.sends(each("many"), n)
	}
	for _, n := range append(usualNotices(4), hard()...) {
		vera.sends(each("hard"), n)
	}
	g.hold(t, s, "order:held")
	g.announce()
	return g
}

// hold sends a notice to the crowd that never gets from sending to sent.
func (g *gallery) hold(t *testing.T, s *site, subject string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.flags[1], "carillon.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TRIGGER held BEFORE UPDATE OF state ON notices WHEN NEW.subject = '` + subject +
		`' AND NEW.state = 'sent' BEGIN SELECT RAISE(IGNORE); END`); err != nil {
		t.Fatal(err)
	}
	vera := g.people["vera"]
	status, body := vera.post("/staff/send", "target", "role", "to", "crowd", "type", "order.late", "subject", subject,
		"title", "Order 4187 is late", "body", "It comes on Monday.", "confirm", strconv.Itoa(crowd))
	if status != 303 {
		t.Fatalf("send to a crowd: status %d\n%s", status, body)
	}
	var id int64
	if err := db.QueryRow(`SELECT id FROM notices WHERE subject = '` + subject + `'`).Scan(&id); err != nil {
		t.Fatal(err)
	}
	g.sending = fmt.Sprintf("/staff/notices/%d", id)
}

func firstWord(line string) string {
	var word string
	_, _ = fmt.Sscan(line, &word)
	return word
}

// view is a page in one of its states.
type view struct {
	name   string
	as     string        // whose it is; empty: nobody is signed in; with -%s: of a guise
	path   string        // with -%s: what only a guise uses
	status int64         // empty: 200
	then   func(*window) // what is done there before one looks
}

func (g *gallery) views() []view {
	return append([]view{
		{name: "sign-in", path: "/login"},
		{name: "sign-in-fault", path: "/login", status: 422, then: signInWrong},
		{name: "inbox-empty", as: "none", path: "/inbox"},
		{name: "inbox-1", as: "one-%s", path: "/inbox"},
		{name: "inbox-unread", as: "thirty-%s", path: "/inbox?filter=unread"},
		{name: "inbox-30", as: "thirty-%s", path: "/inbox"},
		{name: "inbox-unread-none", as: "thirty-%s", path: "/inbox?filter=unread"},
		{name: "panel", as: "many-%s", path: "/inbox?filter=unread", then: openPanel},
		{name: "panel-empty", as: "none", path: "/settings", then: openPanel},
		{name: "inbox-200", as: "many-%s", path: "/inbox", then: addOlder},
		{name: "inbox-older", as: "many-%s", path: "/inbox", then: func(w *window) { w.follow(`a[rel=next]`) }},
		{name: "inbox-hard", as: "hard-%s", path: "/inbox"},
		{name: "inbox-undo", as: "hard-%s", path: "/inbox", then: deleteFirst},
		{name: "keys", as: "one-%s", path: "/inbox", then: openKeys},
		{name: "arrivals", as: "one-%s", path: "/inbox", then: g.arrives(nil, "#arrivals")},
		{name: "panel-arrivals", as: "one-%s", path: "/settings", then: g.arrives(openPanel, "#panel-arrivals")},
		{name: "toasts", as: "one-%s", path: "/inbox?filter=unread", then: g.popsUp},
		{name: "announcements-empty", as: "none", path: "/announcements"},
		{name: "menu", as: "vera", path: "/inbox", then: func(w *window) { w.do(chromedp.Click(css(`.menu summary`)), chromedp.WaitVisible(css(`.menu-items`))) }},
		{name: "settings", as: "vera", path: "/settings"},
		{name: "not-found", as: "vera", path: "/nowhere", status: 404},
		{name: "not-found-stranger", path: "/nowhere", status: 404},
	}, append(g.postViews(), g.staffViews()...)...)
}

// arrives lets a notice come to whoever looks, and waits until it is offered.
func (g *gallery) arrives(before func(*window), offer string) func(*window) {
	return func(w *window) {
		w.t.Helper()
		if before != nil {
			before(w)
		}
		g.people["vera"].sends(ask[string](w, `document.body.dataset.user`), usual[int(g.sent.Add(1))%len(usual)])
		w.until(fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, offer))
	}
}

// popsUp lets more toasts come than are shown at once, which stay as long as one of
// them has the focus.
func (g *gallery) popsUp(w *window) {
	w.t.Helper()
	w.until(live)
	for n, title := range []string{"Order 4187 is late", "Mika invites you to the spring inventory in hall 3, which begins at eight", "The weekly report is ready", "Aisle 7 needs restocking"} {
		g.people["vera"].pops(ask[string](w, `document.body.dataset.user`), title)
		w.until(fmt.Sprintf(`(all => all.length === %d && (all[0].focus({preventScroll: true}), true))(document.querySelectorAll("#popups a"))`, n+1))
	}
	w.until(popped + `.startsWith("1 more Open inbox|")`)
}

func (g *gallery) staffViews() []view {
	return append([]view{
		{name: "send", as: "vera", path: "/staff/send"},
		{name: "send-faults", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			w.fill("to", "nobody-of-this-name")
			w.fill("link", "http://example.com")
			w.press(submitSend)
		}},
		{name: "send-preview", as: "vera", path: "/staff/send", then: func(w *window) {
			w.fillSend("picker0001, picker0002", usual[1])
			w.press(`#send button[name=preview]`)
		}},
		{name: "send-confirm", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			w.do(chromedp.Click(css(`[name=target][value=role]`)))
			w.fillSend("crowd", usual[1])
			w.press(submitSend)
		}},
		{name: "sent", as: "vera", path: "/staff/notices"},
		{name: "sent-searched", as: "vera", path: "/staff/notices?q=weekly"},
		{name: "sent-nothing", as: "vera", path: "/staff/notices?q=nothing-of-the-kind"},
		{name: "notice-sending", as: "vera", path: g.sending},
		{name: "notice-sent", as: "vera", path: "/staff/notices/2", then: func(w *window) {
			w.do(chromedp.Click(css(`[data-testid=retract] summary`)))
		}},
		{name: "people", as: "vera", path: "/staff/users"},
		{name: "people-searched", as: "vera", path: "/staff/users?q=thirty"},
		{name: "people-nobody", as: "vera", path: "/staff/users?q=qqqq"},
		{name: "components", as: "alice", path: "/staff/components"},
	}, g.postStaffViews()...)
}
