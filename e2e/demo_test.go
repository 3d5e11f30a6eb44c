package e2e

import (
	"testing"
	"time"
)

func TestDemoUsersSignInWithOneClick(t *testing.T) {
	t.Parallel()
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	bob := open(t, i)
	bob.goToSignIn()
	bob.shot("sign-in")
	bob.press(`[data-testid=demo]:has(input[value=bob]) button`)
	bob.shows(`h1`, "Inbox")
	bob.badge("2").banner("The warehouse is closed on " + time.Now().AddDate(0, 0, 29).Format("2 January")) // an announcement to all demo users
	bob.shot("demo-inbox")
	bob.goTo("/announcements").shot("demo-announcements")
	bob.clickOn(`#announcement-read-all button`).badge("")

	alice := open(t, i)
	alice.goToSignIn()
	alice.press(`[data-testid=demo]:has(input[value=alice]) button`)
	alice.goTo("/staff/send")
	alice.shot("demo-send")
	bob.goTo("/inbox?filter=unread")
	alice.send("bob", "reminder", "kitchen", "The kitchen closes at four")
	alice.shot("demo-notice")
	bob.badge("1")
	bob.shot("demo-bell")
}
