package e2e

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	_ "modernc.org/sqlite" // the driver of single-machine sites
)

// gallery is a demo site with something to show on every page: inboxes of all sizes, and a notice
// whose delivery never ends.
type gallery struct {
	*instance
	serving string // the host of Carillon, if the pages are those of a host application
	people  map[string]*person
	sending string // the path of a notice that is being delivered
	posts   posts
	sent    int // notices that arrived while a page was open
}

// crowd is a number of recipients for which sending asks for confirmation.
const crowd = 1204

// crowded returns a line for each user of the crowd, for people.
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
	lines := []string{"none", "vera staff", "one", "thirty", "many", "hard", "dense", "asked"}
	s.people(append(lines, crowded()...)...)
	for audience, name := range announcementReaders {
		s.peopleOf(audience, name)
		lines = append(lines, name)
	}
	g := &gallery{instance: s.serve("--demo", "--addr", "127.0.0.1:0"), people: map[string]*person{}}
	for _, line := range lines {
		name := firstWord(line)
		g.people[name] = g.person(t, name)
	}
	vera := g.people["vera"]
	vera.sends("one", usual[0])
	for _, n := range usualNotices(30) {
		vera.sends("thirty", n)
	}
	for _, n := range usualNotices(200) {
		vera.sends("many", n)
	}
	for _, n := range append(usualNotices(4), hard()...) {
		vera.sends("hard", n)
		vera.sends("dense", n)
	}
	host := &application{t, g.url, strings.TrimSpace(s.carillon("", "key", "add", "gallery", "--scope", "send"))}
	host.asks(`{"target":{"users":["asked"]},"title":"Lunch at noon?","expires_in":"2h","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`)
	host.asks(`{"target":{"users":["asked"]},"type":"payment","title":"Pay 4,200 € to Acme?","body":"For the new shelves in hall 3.","answers":"all","choices":[` +
		`{"id":"approve","label":"Approve","style":"primary","comment":"optional"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}]}`)
	host.call("DELETE", "/asks/"+host.asks(`{"target":{"users":["asked"]},"title":"Paint the gate?","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`), "")
	g.people["dense"].leads("/settings", "density", "compact")
	vera.leads("/staff/send", "target", "user", "to", "one", "title", "The lift is repaired on Monday", "send_at", time.Now().AddDate(0, 0, 3).Format("2006-01-02T15:04"))
	for _, name := range []string{"Late delivery", "Stocktaking: the long form with everything that the halls have to do before it begins"} {
		if status, body := vera.post("/staff/send", "target", "role", "to_role", "crowd", "title", name, "template", "1", "template_name", name); status != 200 {
			t.Fatalf("save a template: status %d\n%s", status, body)
		}
	}
	g.hold(t, s, "order:held")
	g.announce()
	return g
}

// hold sends a notice to the crowd that stays in the state sending.
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
	as     string // the user; empty: signed out
	path   string
	status int64         // empty: 200
	then   func(*window) // done on the page before it is checked
}

func (g *gallery) views() []view {
	return append([]view{
		{name: "sign-in", path: "/login"},
		{name: "sign-in-fault", path: "/login", status: 422, then: signInWrong},
		{name: "inbox-empty", as: "none", path: "/inbox"},
		{name: "inbox-1", as: "one", path: "/inbox"},
		{name: "inbox-unread", as: "thirty", path: "/inbox?filter=unread"},
		{name: "inbox-30", as: "thirty", path: "/inbox"},
		{name: "inbox-unread-none", as: "thirty", path: "/inbox?filter=unread"},
		{name: "inbox-archived-none", as: "none", path: "/inbox?filter=archived"},
		{name: "panel", as: "many", path: "/inbox?filter=unread", then: openPanel},
		{name: "panel-empty", as: "none", path: "/settings", then: openPanel},
		{name: "panel-unread", as: "many", path: "/inbox?filter=unread", then: openPanelUnread},
		{name: "inbox-200", as: "many", path: "/inbox", then: addOlder},
		{name: "inbox-older", as: "many", path: "/inbox", then: func(w *window) { w.follow(`a[rel=next]`) }},
		{name: "inbox-archived", as: "many", path: "/inbox?opened=1", then: archiveFirst},
		{name: "inbox-nothing", as: "many", path: "/inbox?q=qqqq"},
		{name: "inbox-hard", as: "hard", path: "/inbox"},
		{name: "inbox-compact", as: "dense", path: "/inbox"},
		{name: "inbox-asked", as: "asked", path: "/inbox"},
		{name: "inbox-asked-comment", as: "asked", path: "/inbox", then: func(w *window) {
			w.clickOn(`.question [value="reject"]`).has(".question .fault", "“Reject” needs a comment.")
		}},
		{name: "panel-asked", as: "asked", path: "/settings", then: openPanel},
		{name: "inbox-selected", as: "hard", path: "/inbox", then: selectTwo},
		{name: "inbox-undo", as: "hard", path: "/inbox", then: deleteFirst},
		{name: "keys", as: "one", path: "/inbox", then: openKeys},
		{name: "arrivals", as: "one", path: "/inbox", then: g.arrives(nil, "#arrivals")},
		{name: "panel-arrivals", as: "one", path: "/settings", then: g.arrives(openPanel, "#panel-arrivals")},
		{name: "toasts", as: "one", path: "/inbox?filter=unread", then: g.showsToastsOf},
		{name: "announcements-empty", as: "none", path: "/announcements"},
		{name: "menu", as: "vera", path: "/inbox", then: func(w *window) { w.do(chromedp.Click(css(`.menu summary`)), chromedp.WaitVisible(css(`.menu-items`))) }},
		{name: "settings", as: "vera", path: "/settings"},
		{name: "settings-appearance", as: "vera", path: "/settings?tab=appearance"},
		{name: "settings-saved", as: "vera", path: "/settings?tab=appearance", then: func(w *window) {
			w.until(live2).clickOn("#toasts").has(".setting:has(#toasts) .saved", "Saved")
		}},
		{name: "not-found", as: "vera", path: "/nowhere", status: 404},
		{name: "not-found-stranger", path: "/nowhere", status: 404},
	}, append(g.announcementViews(), g.staffViews()...)...)
}

// arrives returns a step that sends a notice to the user of the window, and waits until the page
// offers to show it.
func (g *gallery) arrives(before func(*window), offer string) func(*window) {
	return func(w *window) {
		w.t.Helper()
		if before != nil {
			before(w)
		}
		g.sent++
		g.people["vera"].sends(ask[string](w, `document.body.dataset.user`), usual[g.sent%len(usual)])
		w.until(fmt.Sprintf(`document.querySelector(%q).checkVisibility()`, offer))
	}
}

// showsToastsOf sends the user of the window more toasts than are shown at once, and puts the focus on one
// of them, so that all stay.
func (g *gallery) showsToastsOf(w *window) {
	w.t.Helper()
	w.until(live)
	for n, title := range []string{"Order 4187 is late", "Mika invites you to the spring inventory in hall 3, which begins at eight", "The weekly report is ready", "Aisle 7 needs restocking"} {
		g.people["vera"].sendsToast(ask[string](w, `document.body.dataset.user`), title)
		w.until(fmt.Sprintf(`(all => all.length === %d && (all[0].focus({preventScroll: true}), true))(document.querySelectorAll("#popups a"))`, n+1))
	}
	w.until(toastTitles + `.startsWith("1 more Open inbox|")`)
}

func (g *gallery) staffViews() []view {
	return append([]view{
		{name: "send", as: "vera", path: "/staff/send"},
		{name: "send-faults", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			w.fill("to", "nobody-of-this-name")
			w.fill("link", "http://example.com")
			w.answered(submitSend)
		}},
		{name: "send-to", as: "vera", path: "/staff/send", then: func(w *window) {
			w.fill("to", "picker0001, picker0002, pick")
			w.until(`document.querySelectorAll("#to-names [role=option]").length > 1`)
		}},
		{name: "send-to-all", as: "vera", path: "/staff/send", then: func(w *window) {
			w.do(chromedp.WaitVisible(css("#to-entry")))
			w.clickOn("#to-entry").until(`document.querySelector("#to-names [role=option]")`)
		}},
		{name: "send-more", as: "vera", path: "/staff/send", then: func(w *window) { w.more() }},
		{name: "send-role", as: "vera", path: "/staff/send?target=role&to=crowd"},
		{name: "send-preview", as: "vera", path: "/staff/send", then: func(w *window) {
			w.fillSend("picker0001, picker0002", usual[1])
			w.until(`document.querySelector("#preview [data-testid=card]") && document.querySelector("[data-testid=recipients]")`)
		}},
		{name: "send-confirm", as: "vera", path: "/staff/send", status: 422, then: func(w *window) {
			w.adds("crowd").fillText(usual[1])
			w.answered(submitSend)
		}},
		{name: "send-naming", as: "vera", path: "/staff/send", then: func(w *window) {
			w.fillSend("picker0001", usual[1])
			w.clickOn(".more-deeds summary").answered(`#send .buttons button[name=template]`)
		}},
		{name: "send-template", as: "vera", path: "/staff/send", then: func(w *window) { w.do(chromedp.Click(css("[data-testid=templates] summary"))) }},
		{name: "questions", as: "vera", path: "/staff/questions"},
		{name: "questions-ended", as: "vera", path: "/staff/questions?state=ended"},
		{name: "sent", as: "vera", path: "/staff/notices"},
		{name: "sent-scheduled", as: "vera", path: "/staff/notices?state=scheduled"},
		{name: "sent-filtered", as: "vera", path: "/staff/notices?state=sent&sender=vera&since=2020-01-01"},
		{name: "sent-drafts", as: "vera", path: "/staff/notices?tab=drafts"},
		{name: "sent-searched", as: "vera", path: "/staff/notices?q=weekly"},
		{name: "sent-nothing", as: "vera", path: "/staff/notices?q=nothing-of-the-kind"},
		{name: "notice-sending", as: "vera", path: g.sending},
		{name: "notice-sent", as: "vera", path: "/staff/notices/2", then: func(w *window) {
			w.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=retract] summary`)
		}},
		{name: "notice-unread-by", as: "vera", path: g.sending + "/unread"},
		{name: "people", as: "vera", path: "/staff/users"},
		{name: "people-searched", as: "vera", path: "/staff/users?q=thirty"},
		{name: "people-new", as: "vera", path: "/staff/users", then: func(w *window) { w.do(chromedp.Click(css("[data-testid=new] > summary"))) }},
		{name: "people-import", as: "vera", path: "/staff/import"},
		{name: "people-import-stopped", as: "vera", path: "/staff/import", then: importInVain},
		{name: "people-nobody", as: "vera", path: "/staff/users?q=qqqq"},
		{name: "person", as: "vera", path: "/staff/users/picker0001"},
		{name: "person-menu", as: "vera", path: "/staff/users/vera", then: func(w *window) { w.do(chromedp.Click(css("[data-testid=person-menu] summary"))) }},
		{name: "person-password", as: "vera", path: "/staff/users/picker0001?ask=password"},
		{name: "person-delete", as: "vera", path: "/staff/users/picker0001?ask=delete"},
		{name: "person-unknown", as: "vera", path: "/staff/users/nobody", status: 404},
		{name: "components", as: "alice", path: "/staff/components"},
	}, g.announcementStaffViews()...)
}
