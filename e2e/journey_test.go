package e2e

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// sites numbers the sites, so that each has its own key prefix in the shared Redis.
var sites atomic.Int64

// many returns a site for several instances, which share one PostgreSQL and one Redis, where their user has only the
// rights listed in the docs.
func many(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, flags: append(shared(t), "--database-url", sqltest.URL(t))}
	user := redistest.LeastRights(t, redistest.Client(t), s.prefix())
	s.flags = append(s.flags, "--redis-url", "unix://"+user+redistest.Socket(t))
	return s
}

// prefix returns the prefix of the keys in Redis.
func (s *site) prefix() string { return s.flags[slices.Index(s.flags, "--redis-prefix")+1] }

// shared returns the flags common to all instances of such a site, without the addresses of SQL and Redis.
func shared(t *testing.T) []string {
	t.Helper()
	return []string{
		"--data-dir", t.TempDir(),
		"--redis-prefix", fmt.Sprintf("site%d:", sites.Add(1)),
		"--session-keys", "8f1d7e6a5c4b3a29181706f5e4d3c2b1a0918273645546372819a0b1c2d3e4f5",
	}
}

// send fills in and submits the staff form.
func (w *window) send(to, typ, subject, title string) {
	w.t.Helper()
	w.goTo("/staff/send")
	w.until(`document.querySelector("#more").open = true`) // type and subject are among the options
	w.do(chromedp.SendKeys(css(`[name=to]`), to),
		chromedp.SendKeys(css(`[name=type]`), typ),
		chromedp.SendKeys(css(`[name=subject]`), subject),
		chromedp.SendKeys(css(`[name=title]`), title),
		chromedp.SendKeys(css(`[name=body]`), "The whole text of it."))
	w.shot("send-form")
	w.press(`form[action$="/staff/send"] button[type=submit]:not([name])`)
	w.do(chromedp.WaitVisible(css(`[data-testid=state]`)))
}

func TestTheBadgeChangesInEveryWindowOnEveryInstance(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.user("alice", "staff")
	s.user("bob")
	s.user("carol")
	one, two := s.serve(), s.serve()

	alice := open(t, one).signIn("alice").goTo("/staff/send")
	here := open(t, one).signIn("bob").goTo("/inbox?filter=unread")
	there := open(t, two).signIn("bob").goTo("/inbox?filter=unread")
	other := open(t, two).signIn("carol").goTo("/inbox?filter=unread")
	here.badge("")

	alice.send("bob", "like", "photo_id:1:user_id:7", "Alice likes your photo")
	here.badge("1")
	there.badge("1")
	there.shot("badge-on-second-instance")
	alice.send("bob", "comment", "photo_id:1", "Alice commented")
	here.badge("2")
	there.badge("2")
	other.badge("")

	here.goTo("/inbox")
	here.do(chromedp.WaitVisible(entry("like:photo_id:1:user_id:7")))
	here.attribute(entry("like:photo_id:1:user_id:7"), "data-read", "0")
	here.shot("inbox-opened")
	here.badge("")
	there.badge("")
	here.goTo("/inbox")
	here.attribute(entry("like:photo_id:1:user_id:7"), "data-read", "1")
}

func TestTheBadgeJourneyWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()

	bob := open(t, i).withoutScript().signIn("bob").goTo("/inbox?filter=unread")
	bob.badge("")
	alice := open(t, i).withoutScript().signIn("alice")
	alice.send("bob", "like", "photo_id:1:user_id:7", "Alice likes your photo")
	alice.shot("notice-without-javascript")
	bob.goTo("/inbox?filter=unread").badge("1")
	bob.shot("unread-without-javascript")
	bob.goTo("/inbox").badge("")
	bob.attribute(entry("like:photo_id:1:user_id:7"), "data-read", "0")
	bob.press(`[data-testid=entry] form[action$="/inbox/unread"] button`)
	bob.goTo("/inbox?filter=unread").badge("1")
	bob.press(`[data-testid=entry] form[action$="/inbox/delete"] button`)
	bob.badge("")
	bob.shot("deleted-without-javascript")
}
