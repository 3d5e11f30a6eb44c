package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
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

// documentedProgram runs the program of docs/ask.md, which has asked when it returns. The function that it returns waits for its end, and returns its output.
func (a *application) documentedProgram() func() string {
	a.t.Helper()
	text, err := os.ReadFile("../docs/ask.md")
	if err != nil {
		a.t.Fatal(err)
	}
	code := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(text)
	if code == nil {
		a.t.Fatal("docs/ask.md has no program")
	}
	cmd := exec.CommandContext(a.t.Context(), "/usr/bin/python3", "-c", string(code[1]))
	cmd.Env = append(os.Environ(), "CARILLON_URL="+a.url, "CARILLON_API_KEY="+a.key)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	testkit.Eventually(a.t, "the program of docs/ask.md has asked", func() bool {
		return strings.Contains(string(a.call(http.MethodGet, "/asks?state=open", "")), `"approve"`)
	})
	return func() string {
		a.t.Helper()
		if err := cmd.Wait(); err != nil {
			a.t.Fatalf("the program of docs/ask.md: %v\n%s", err, errs.String())
		}
		return out.String()
	}
}

// The program of docs/ask.md asks two approvers, whose pages are on two instances. One decides, the page of the other says who, and
// the program goes on with a receipt.
func TestAQuestionIsAnsweredInTheRowAndEverybodySeesWhoDecided(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("alice approver", "bob approver", "vera staff")
	one, two := s.serve(), s.serve()
	host := &application{t, one.url, strings.TrimSpace(s.carillon("", "key", "add", "payments", "--scope", "send"))}
	goesOn := host.documentedProgram()
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
	vera.until(`document.querySelectorAll("[data-testid=card] .calls span").length === 2`).settles().shot("send-choices")
	vera.answered(submitSend)
	bob.visit("/inbox").has(`section:has(#waiting) .question [value="not-yet"]`, "Not yet!")
	outcome, receipt, _ := strings.Cut(strings.TrimSpace(goesOn()), " ")
	file := filepath.Join(t.TempDir(), "receipt")
	if err := os.WriteFile(file, []byte(receipt), 0o600); err != nil {
		t.Fatal(err)
	}
	if proof := s.carillon("", "receipt", "verify", file); outcome != "reject" || !strings.Contains(proof, "too dear") {
		t.Errorf("the outcome is %q, and the receipt proves %s", outcome, proof)
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
