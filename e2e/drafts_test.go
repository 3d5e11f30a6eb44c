package e2e

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// draftSaved is true once the current form is on the server.
const draftSaved = `/^Draft saved \d\d:\d\d$/.test(document.querySelector("#draft-state").textContent.trim()) && location.search.startsWith("?draft=")`

// typedSend is the text in the form.
const typedSend = `["to", "title", "type", "body"].map(name => document.querySelector("[name=" + name + "]").value).join("|")`

// No button is pressed before the tab and then the instance die.
func TestADraftOutlivesItsTabAndItsInstance(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w := sender(t, i)
	w.fillSend("bob", notice{title: "Not to be lost", typ: "news", body: "One\nTwo"})
	w.until(draftSaved)
	address := ask[string](w, `location.pathname + location.search`)
	next := w.tab()
	w.do(chromedp.Navigate("about:blank"))
	i.kill()
	i = s.serve("--addr", i.addr())

	next.goTo("/staff/send").has("[data-testid=resume] a", "Not to be lost")
	next.shot("send-resume")
	next.press(`[data-testid=resume] a`)
	next.until(typedSend + ` === "bob|Not to be lost|news|One\nTwo" && location.pathname + location.search === "` + address + `"`)
	next.until(`document.querySelector("#to-entry") !== null`)
	next.fill("title", "Not to be lost, either")
	next.press(sendButton)
	next.arrived("Not to be lost, either")

	// The draft is gone once the notice is sent.
	next.goTo("/staff/send").until(`document.querySelector("#title").value === "" && !document.querySelector("[data-testid=resume]")`)
	next.goTo(strings.TrimPrefix(address, w.path())).has("[data-testid=not-sent] p", "This draft no longer exists: it was sent or deleted.")
	w.as(i.person(t, "alice")).goTo("/staff/notices").until(`document.querySelectorAll("tbody tr").length === 1`)
}

// Input that the server cannot store is kept in the tab, and saved as soon as possible.
func TestADraftIsKeptInTheTabWhileOffline(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	w := sender(t, s.serve())
	w.offline(true)
	w.fillSend("bob", notice{title: "In a tunnel", typ: "news", body: "Dark"})
	w.has("#draft-state", "Offline: your draft is kept in this tab.")
	w.shot("send-offline")
	w.offline(false)
	w.until(draftSaved)
	w.do(chromedp.Reload())
	w.until(typedSend + ` === "bob|In a tunnel|news|Dark" && !document.querySelector("[data-testid=restored]")`)
}

func TestADraftIsSavedWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	w := open(t, s.serve()).signIn("alice").withoutScript().goTo("/staff/send")
	w.fillSend("bob", notice{title: "On paper", typ: "news", body: "One"})
	w.press(`#send button[name=save]`)
	w.until(draftSaved + ` && ` + typedSend + ` === "bob|On paper|news|One"`)
	w.goTo("/staff/send").press(`[data-testid=resume] a`)
	w.until(typedSend + ` === "bob|On paper|news|One"`)
	w.press(sendButton)
	w.arrived("On paper")
	w.goTo("/staff/send").until(`!document.querySelector("[data-testid=resume]")`)
}
