package e2e

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// asks asks a question and returns its id.
func (a *application) asks(body string) string {
	a.t.Helper()
	asked := a.call(http.MethodPost, "/asks", body)
	id := regexp.MustCompile(`\bid\W+([0-9]+)`).FindSubmatch(asked)
	if id == nil {
		a.t.Fatalf("a question is answered by %s", asked)
	}
	return string(id[1])
}

// Two approvers on two instances: one decides, the page of the other says who.
func TestAQuestionIsAnsweredInTheRowAndEverybodySeesWhoDecided(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("alice approver", "bob approver", "vera staff")
	one, two := s.serve(), s.serve()
	host := &application{t, one.url, strings.TrimSpace(s.carillon("", "key", "add", "payments", "--scope", "send"))}
	id := host.asks(`{"target":{"role":"approver"},"type":"payment","title":"Pay 4,200 € to Acme?","choices":[` +
		`{"id":"approve","label":"Approve","style":"primary"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}]}`)
	alice := open(t, one).size(1280, 900).as(one.person(t, "alice"))
	bob := open(t, two).as(two.person(t, "bob"))
	for _, w := range []*window{alice, bob} {
		w.visit("/inbox").stays().titles("Pay 4,200 € to Acme?").until(live2)
	}
	host.call(http.MethodPost, "/notices", `{"target":{"users":["alice"]},"title":"The weekly report"}`)
	alice.until(`!document.querySelector("#arrivals").hidden`)
	alice.clickOn("#arrivals").titles("Pay 4,200 € to Acme?", "The weekly report").has("#list > section:first-child h2", "Waiting for you").stays().settles().shot("inbox-question")
	alice.clickOn(`.question [value="reject"]`).has(".question .fault", "“Reject” needs a comment.")
	alice.until(`document.activeElement === document.querySelector('.question textarea')`).types("too dear").settles().shot("inbox-question-comment")
	alice.clickOn(`.question [value="reject"]`).has("#done p", "Answered.")
	for _, w := range []*window{alice, bob} {
		w.until(textOf(".became") + `?.startsWith("Reject · alice, ") && ` + textOf(".became") + `.endsWith("· 'too dear'") && !document.querySelector(".question")`).same()
	}
	bob.shot("inbox-question-answered")
	vera := open(t, two).size(1280, 900).as(two.person(t, "vera"))
	vera.visit("/staff/questions").has(".empty h2", "No open questions")
	vera.visit("/staff/questions?state=ended").has("[data-testid=question] th a", "Pay 4,200 € to Acme?").shot("questions-ended")
	vera.visit("/staff/send")
	vera.more()
	vera.fillSend("bob", usual[4])
	vera.fill("choices", "Yes\nNot yet!")
	vera.answered(`#send button[name=preview]`)
	vera.until(`document.querySelectorAll("[data-testid=card] .calls span").length === 2`).settles().shot("send-choices")
	vera.answered(submitSend)
	bob.visit("/inbox").has(`#waiting + ul .question [value="not-yet"]`, "Not yet!")
	if got := string(host.call(http.MethodGet, "/asks/"+id+"?wait=5", "")); !regexp.MustCompile(`outcome\W+reject`).MatchString(got) || !regexp.MustCompile(`receipt\W+eyJ`).MatchString(got) {
		t.Errorf("the program gets %s", got)
	}
}

func TestAQuestionIsAnsweredWithoutScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob approver")
	i := s.serve()
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "payments", "--scope", "send"))}
	host.asks(`{"target":{"users":["bob"]},"title":"Lunch at noon?","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No","comment":"required"}]}`)
	w := open(t, i).as(i.person(t, "bob"))
	w.withoutScript().visit("/inbox").titles("Lunch at noon?")
	w.press(`.question [value="no"]`)
	w.has(".question .fault", "“No” needs a comment.").shot("question-without-javascript")
	w.fill("comment", "A meeting")
	w.press(`.question [value="no"]`)
	w.has("#done p", "Answered.")
}
