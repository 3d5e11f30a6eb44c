package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Two people are asked. One answers in a page of a host, under the strictest policy, with a comment, which is kept while the row is
// drawn again; the row of the other says what became of the question. Another answer is refused.
func TestAQuestionIsAnsweredInAPageOfAHost(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	s.user("4711")
	s.user("4712")
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "payments", "--scope", "send"))}
	id := host.asks(`{"target":{"users":["4711","4712"]},"type":"payment","title":"Pay Acme?","choices":[` +
		`{"id":"approve","label":"Approve","style":"primary"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}]}`)
	w, other := open(t, i), open(t, i).as(i.person(t, "4712"))
	w.watchesThePolicy().do(chromedp.Navigate(shop.URL + "/notifications"))
	w.until(inInbox(`rows() === "*Pay Acme?" && [...root.querySelectorAll(".question .button")].map((b) => b.textContent).join() === "Approve,Reject"`))
	other.visit("/inbox").titles("Pay Acme?").until(live2)
	ask[any](w, inInbox(`named("Reject: Pay Acme?").click()`))
	w.until(inInbox(`root.querySelector(".fault").textContent === "“Reject” needs a comment." && root.activeElement?.localName === "textarea"`))
	w.types("too dear").shot("embed-question")
	w.pleasesAxe("embed-question")
	ask[any](w, `document.querySelector("carillon-inbox").client.read({ keys: [document.querySelector("carillon-inbox").client.getSnapshot().notices[0].key] }).then(() => 0)`)
	w.until(inInbox(`rows() === "Pay Acme?" && root.querySelector("textarea").value === "too dear" && root.querySelector(".remark").open && root.activeElement?.localName === "textarea"`))
	ask[any](w, inInbox(`named("Reject: Pay Acme?").click()`))
	w.until(inInbox(`root.querySelector(".said").textContent.startsWith("Answered.")`))
	w.until(inInbox(`!root.querySelector(".question") && /^Reject · 4711, [\d:]+ [AP]M · 'too dear'$/.test(root.querySelector(".became")?.textContent)`))
	other.until(textOf(".became") + `.startsWith("Reject · 4711, ")`)
	w.keepsThePolicy().shot("embed-question-answered")
	if code := ask[string](w, `document.querySelector("carillon-inbox").client.answer(`+id+`, "approve").then(() => "counts", (err) => err.code)`); code != "ask_ended" {
		t.Errorf("an answer after the end: %s", code)
	}
	if got := string(host.call(http.MethodGet, "/asks/"+id, "")); !regexp.MustCompile(`outcome\W+reject`).MatchString(got) {
		t.Errorf("the program gets %s", got)
	}

	// With actions="none" a question can still be answered, and the row says what the user has answered while others have not.
	ask[any](w, inInbox(`inbox.setAttribute("actions", "none")`))
	host.asks(`{"target":{"users":["4711","4712"]},"type":"lunch","title":"Lunch?","answers":"all","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`)
	w.until(inInbox(`named("Yes: Lunch?") && !root.querySelector(".actions")`))
	ask[any](w, inInbox(`named("Yes: Lunch?").click()`))
	w.until(inInbox(`row("lunch").querySelector(".became")?.textContent === "Your answer: Yes"`))
}
