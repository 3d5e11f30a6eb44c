package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestWhoHasNotReadANoticeIsReminded(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := alone(t)
			s.people("alice staff", "bob", "carol")
			i := s.serve()
			alice := i.person(t, "alice")
			path := alice.leads("/staff/send", "target", "user", "to", "bob, carol", "type", "news", "title", "Count the shelves")
			bob, carol := open(t, i).as(i.person(t, "bob")), open(t, i).as(i.person(t, "carol"))
			carol.goTo("/inbox").titles("Count the shelves")
			alice.sends("bob", notice{title: "In between", typ: "other"})

			w := open(t, i).as(alice)
			if !script {
				w.withoutScript()
			}
			w.goTo(path).clickOn(`[data-testid=remind] summary`)
			w.shot("notice-remind")
			if script {
				w.do(chromedp.DoubleClick(css(`[data-testid=remind] button`)))
			} else {
				w.press(`[data-testid=remind] button`)
			}
			w.has("#done p", "The reminder has been sent.").has("h1", "Count the shelves")
			bob.goTo("/inbox?filter=unread").titles("Count the shelves", "In between")
			carol.goTo("/inbox?filter=unread").until(`!document.querySelector("main .row")`)
			w.goTo(path).has(`[data-testid=history] li:first-child span`, "Reminder sent by alice")
			w.clickOn(`[data-testid=remind] summary`).press(`[data-testid=remind] button`)
			w.has("#done p", "Nobody was reminded: everyone who still has this notification has read it.")
			w.goTo("/staff/notices").until(`document.querySelectorAll("tbody tr").length === 3`)
		})
	}
}
