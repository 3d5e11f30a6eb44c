package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestABadgeCatchesUpAfterItsInstanceIsKilledAndRestarted(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("alice", "staff")
	s.user("bob")
	one, two := s.serve(), s.serve()
	bob := open(t, one).signIn("bob").goTo("/inbox?filter=unread")
	alice := open(t, two).signIn("alice")
	alice.send("bob", "like", "photo_id:1", "Before the fault")
	bob.badge("1")

	one.kill()
	bob.connection("Reconnecting…")
	bob.shot("reconnecting")
	alice.send("bob", "like", "photo_id:2", "During the fault")
	s.serve("--addr", one.addr())
	bob.badge("2")
	bob.connection("")
}

func TestEveryBadgeCatchesUpAfterRedisDropsItsSubscriptions(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("alice", "staff")
	s.user("bob")
	one := s.serve()
	bob := open(t, one).signIn("bob").goTo("/inbox?filter=unread")
	alice := open(t, one).signIn("alice")
	for _, want := range []string{"1", "2", "3"} {
		s.cutSubscriptions()
		alice.send("bob", "like", "photo_id:"+want, "Once more")
		bob.badge(want)
	}
}

func TestAPageOfASessionEndedElsewhereAsksToSignIn(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("bob")
	one, two := s.serve(), s.serve()
	here := open(t, one).signIn("bob").goTo("/inbox?filter=unread")
	there := open(t, two).signIn("bob").goTo("/settings?tab=account")
	there.press(`main form[action$="/logout"] button`) // sign out everywhere
	one.kill()
	s.serve("--addr", one.addr())
	here.connection("You are signed out. Sign in")
	here.shot("signed-out")
	here.press(`#connection a`)
	here.do(chromedp.WaitVisible(css(`input[name=username]`)))
}
