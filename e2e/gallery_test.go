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
	_ "modernc.org/sqlite" // the driver of single-machine sites
)

// gallery is a demo site with something to show on every page: inboxes of all sizes, and a notice
// whose delivery never ends. Each inbox exists once per guise, because opening it changes it.
type gallery struct {
	*instance
	people  map[string]*person
	sending string // the path of a notice that is being delivered
	posts   posts
	sent    atomic.Int64
	edit    sync.Mutex // held while a revision is read and the next one is saved
}

// guise is a kind of device, desk or phone, with the widths and themes in which pages are checked.
// An open page follows the theme of the system, so one window serves all themes.
type guise struct {
	kind   string
	widths []int64
	themes []string
}

func (g guise) String() string { return g.kind }

// examined reports whether axe checks a page in this theme at this width. Because axe is the slowest
// check, it runs on a desk in the first theme and on a phone in the last: that covers each theme and
// each layout once.
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

// crossed covers each theme and each width once. It is for pages made of the same parts as the pages
// that are checked in every guise: the effect of a theme does not depend on the width.
var crossed = []guise{
	{"desk", []int64{768, 1280}, []string{"light"}},
	{"phone", []int64{320}, []string{"dark"}},
}

// each returns the names of the users derived from name, one for each guise.
func each(name string) string {
	var names []string
	for _, g := range guises {
		names = append(names, name+"-"+g.String())
	}
	return strings.Join(names, ", ")
}

// crowd is a number of recipients for which sending asks for confirmation.
const crowd = 1204

// crowded returns a line for each user of the crowd, as people takes it.
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

// hold sends a notice to the crowd that stays in the state sending for ever.
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
		t.Fatalf("send to the crowd: status %d\n%s", status, body)
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
	as     string        // the user; empty: signed out; %s is replaced by the guise
	path   string        // %s is replaced by the guise
	status int64         // empty: 200
	then   func(*window) // done on the page before it is checked
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

// arrives returns a step that sends a notice to the user of the window, and waits until the page
// offers to show it.
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

// popsUp sends the user of the window more toasts than are shown at once, and puts the focus on one
// of them, so that all stay.
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
			w.answered(submitSend)
		}},
		{name: "send-role", as: "vera", path: "/staff/send?target=role&to=crowd"},
		{name: "send-preview", as: "vera", path: "/staff/send", then: func(w *window) {
			w.fillSend("picker0001, picker0002", usual[1])
			w.answered(`#send button[name=preview]`)
		}},
		{name: "send-confirm", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			w.do(chromedp.Click(css(`[name=target][value=role]`)))
			w.picks("to_role", "crowd").fillText(usual[1])
			w.answered(submitSend)
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
