package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// The server stops while a form is filled in. The user submits it, reloads the page once the server
// is back, and submits it again.
func TestAFormThatCannotReachTheServerKeepsItsText(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w := sender(t, i)
	w.fillSend("bob", notice{title: "Not to be", typ: "news", body: "One\nTwo"})
	w.shows(`#preview h3`, "Not to be")
	const typed = `["to", "title", "type", "body"].map(name => document.querySelector("[name=" + name + "]").value).join("|") === "bob|Not to be lost|news|One\nTwo"`
	pages := ask[int](w, `history.length`)
	w.until(draftSaved).stays()
	i.stop()
	w.fill("title", "Not to be lost")

	w.clickOn(string(sendButton))
	w.has("[data-testid=unsent]", "Not sent: the server can't be reached. Your text is kept. Try again in a moment.")
	w.until(typed + ` && document.activeElement.textContent.trim().startsWith("Send") && !document.activeElement.hasAttribute("aria-disabled")`)
	w.same()
	if now := ask[int](w, `history.length`); now != pages {
		t.Errorf("the history grew from %d to %d pages", pages, now)
	}
	w.shot("send-unreachable")

	s.serve("--addr", i.addr())
	w.do(chromedp.Reload())
	w.until(typed).has("[data-testid=restored]", "Your draft has been restored. Discard draft")
	w.shot("send-restored")
	w.press(sendButton)
	w.arrived("Not to be lost")
	w.goTo("/staff/notices")
	if n := ask[int](w, `document.querySelectorAll("tbody tr").length`); n != 1 {
		t.Errorf("%d notices were sent", n)
	}
	w.goTo("/staff/send").until(`document.querySelector("#to-entry") && document.querySelector("#title").value === "" && !document.querySelector("[data-testid=restored]")`)
}

func TestReloadingAfterCreatingAKeyCreatesNoSecondKey(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]bool{"with script": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := alone(t)
			s.user("alice", "staff")
			w := open(t, s.serve()).signIn("alice")
			if !script {
				w.withoutScript()
			}
			w.goTo("/staff/keys").clickOn(`.adding summary`)
			w.fill("name", "shop")
			w.clickOn(`[name=scope][value=send]`)
			w.press(`.adding button.primary`)
			w.until(`/^ck_[0-9A-Za-z_-]{43}$/.test(` + textOf("[data-testid=new-key]") + `)`)
			for range 2 {
				w.do(chromedp.Reload())
				w.until(`document.querySelectorAll("[data-testid=key]").length === 1 && !document.querySelector("[data-testid=new-key]")`)
			}
		})
	}
}
