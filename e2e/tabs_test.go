package e2e

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// tell sends a user a notice with a command.
func (s *site) tell(name, subject string) {
	s.t.Helper()
	s.carillon("", "send", "--to", name, "--type", "like", "--subject", subject, "--title", "Somebody likes "+subject)
}

func TestFourTabsShareOneStreamAndAllBadgesChange(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	i := s.measured()
	all := tabs(t, i, 4, "bob", "/inbox?filter=unread")
	i.streams("1")
	for _, want := range []string{"1", "2"} {
		s.tell("bob", "photo_id:"+want)
		for _, w := range all {
			w.badge(want)
		}
	}
	for _, w := range all {
		w.shows(`#arrivals`, "2 new")
	}
	i.streams("1")
}

func TestOpeningTheInboxInOneTabClearsTheBadgeInAllTabs(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	s.tell("bob", "photo_id:1")
	i := s.serve()
	all := tabs(t, i, 3, "bob", "/inbox?filter=unread")
	s.tell("bob", "photo_id:2")
	for _, w := range all {
		w.badge("1")
	}
	all[2].goTo("/inbox")
	for _, w := range all {
		w.badge("")
	}
}

// The leading page goes into the history, is closed, is frozen, and navigates away.
func TestAnotherTabLeadsHoweverTheLeaderGoes(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	i := s.measured()
	all := tabs(t, i, 4, "bob", "/inbox") // nothing is unread, so browsers may keep the page in the history
	one, two, three, four := all[0], all[1], all[2], all[3]
	s.tell("bob", "photo_id:1")
	bells(all, "1")

	// The page goes into the history and comes back. It is the same page, and it catches up.
	value[bool](one, `(addEventListener("pageshow", e => window.kept = e.persisted), true)`)
	one.goTo("/settings")
	two.leading()
	i.streams("1")
	s.tell("bob", "photo_id:2")
	bells(all, "2")
	value[bool](one, `(history.back(), true)`)
	testkit.Eventually(t, "the page is restored from the history", func() bool { return value[bool](one, `window.kept === true`) })
	one = one.again()
	all[0] = one
	bells(all, "2")
	one.shows(`#arrivals`, "2 new")
	i.streams("1")

	two.close()
	all = []*window{one, three, four}
	three.leading()
	s.tell("bob", "photo_id:3")
	bells(all, "3")
	i.streams("1")

	three.freeze(true)
	four.leading()
	s.tell("bob", "photo_id:4")
	bells([]*window{one, four}, "4")
	i.streams("1")
	three.freeze(false)
	bells(all, "4")
	three.hide(true) // freezing hid it, and a page catches up only when it becomes visible
	three.hide(false)
	three.shows(`#arrivals`, "4 new")

	four.goTo("/settings")
	s.tell("bob", "photo_id:5")
	bells(all, "5")
	i.streams("1")
	for _, w := range all {
		w.connection("")
	}
}

func bells(all []*window, want string) {
	for _, w := range all {
		w.t.Helper()
		w.badge(want)
	}
}

func TestASecondUserOfABrowserGetsNothingOfTheFirst(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	s.user("carol")
	i := s.serve()
	home := open(t, i)
	bob := home.tab().signIn("bob").goTo("/inbox?filter=unread")
	s.tell("bob", "photo_id:1")
	bob.badge("1")

	// Carol's session cookie replaces Bob's in the browser, but his session continues. Signing in with the form would
	// end his session, and within a minute his stream.
	carol := home.tab().as(i.person(t, "carol"))
	carol.goTo("/inbox?filter=unread")
	carol.leading()
	value[bool](carol, `(window.heard = [], addEventListener("message", e => heard.push(e.data)),
		new BroadcastChannel("carillon:carol").onmessage = e => heard.push(e.data), true)`)
	s.tell("bob", "secret:2")
	s.tell("carol", "photo_id:3")
	carol.badge("1")
	bob.badge("2")
	if heard := value[string](carol, `JSON.stringify(heard) + document.body.textContent`); strings.Contains(heard, "secret") {
		t.Errorf("Carol's tab received %s", heard)
	}

	// Bob's page must reconnect, and the session is Carol's now.
	i.kill()
	s.serve("--addr", i.addr())
	bob.connection("You are signed out. Sign in")
	carol.connection("")
	s.tell("carol", "secret:4")
	carol.badge("2")
	bob.shot("signed-in-as-somebody-else")
	if shown := bob.shown(`[data-testid=badge]`); shown != "2" { // the number of his own notices
		t.Errorf("Bob's bell shows %q", shown)
	}
	if text := value[string](bob, `document.body.textContent`); strings.Contains(text, "secret:4") {
		t.Errorf("Bob's page shows %s", text)
	}
}
