package ask_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/ask"
)

func receipts(t testing.TB) *ask.Receipts {
	t.Helper()
	text, err := ask.NewReceiptKeys()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ask.ParseReceiptKeys(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func answered(title string) *notifier.Question {
	q := &notifier.Question{Asked: notifier.Ask{State: notifier.AskAnswered, Outcome: "yes", Choices: []notifier.Choice{{ID: "yes"}, {ID: "no"}}}}
	q.ID, q.Title, q.Body, q.Extras.Data = 7, title, "€ <&>", json.RawMessage(`{"b":1.0,"a":"x"}`)
	q.Answers = []notifier.AskAnswer{{User: "alice", Choice: "yes", Comment: "fits", At: time.Date(2026, 3, 1, 9, 12, 0, 0, time.UTC)}, {Choice: "no"}}
	return q
}

func TestAReceiptProvesTheAnswersAndTheContent(t *testing.T) {
	t.Parallel()
	r := receipts(t)
	text, err := r.Issue(answered("Pay?"))
	if err != nil {
		t.Fatal(err)
	}
	public, err := r.Public()
	if err != nil || strings.Contains(string(public), `"d"`) {
		t.Fatalf("public keys: %s, %v", public, err)
	}
	verifier, err := ask.ParseReceiptKeys(public)
	if err != nil {
		t.Fatal(err)
	}
	got, payload, err := verifier.Verify([]byte(text + "\n"))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(`{"body":"€ <&>","data":{"a":"x","b":1},"title":"Pay?"}`))
	content := base64.RawURLEncoding.EncodeToString(sum[:])
	want := `{"id":7,"state":"answered","choices":["yes","no"],"outcome":"yes","answers":[{"user":"alice","choice":"yes","comment":"fits","at":"2026-03-01T09:12:00Z"},` +
		`{"user":null,"choice":"no","comment":"","at":"0001-01-01T00:00:00Z"}],"content":"` + content + `"}`
	if string(payload) != want || got.Content != content {
		t.Errorf("payload %s\nwant    %s", payload, want)
	}
	if head, err := base64.RawURLEncoding.DecodeString(strings.Split(text, ".")[0]); err != nil || !strings.Contains(string(head), `"alg":"EdDSA"`) || !strings.Contains(string(head), `"kid":"`) {
		t.Errorf("header %s, %v", head, err)
	}
	if other, _ := r.Issue(answered("Pay more?")); strings.Split(other, ".")[1] == strings.Split(text, ".")[1] {
		t.Error("another title has the same content")
	}
}

func TestNoReceiptBeforeTheEndOrOfAWithdrawnQuestion(t *testing.T) {
	t.Parallel()
	r := receipts(t)
	for state, want := range map[notifier.AskState]bool{notifier.AskOpen: false, notifier.AskWithdrawn: false, notifier.AskExpired: true} {
		q := answered("Pay?")
		q.Asked.State = state
		if text, err := r.Issue(q); err != nil || (text != "") != want {
			t.Errorf("%s: %q, %v", state, text, err)
		}
	}
}

func FuzzAChangedReceiptDoesNotVerify(f *testing.F) {
	r, other := receipts(f), receipts(f)
	text, err := r.Issue(answered("Pay?"))
	if err != nil {
		f.Fatal(err)
	}
	parts := strings.Split(text, ".")
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"id":7,"state":"answered","outcome":"no"}`))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))
	f.Add([]byte(parts[0] + "." + forged + "." + parts[2]))
	f.Add([]byte(none + "." + parts[1] + "."))
	f.Add([]byte(""))
	f.Fuzz(func(t *testing.T, given []byte) {
		if strings.TrimSpace(string(given)) == text {
			return
		}
		if got, _, err := r.Verify(given); !errors.Is(err, ask.ErrReceipt) {
			t.Errorf("%q verifies as %+v, %v", given, got, err)
		}
		if _, _, err := other.Verify([]byte(text)); !errors.Is(err, ask.ErrReceipt) {
			t.Errorf("another installation's keys verify it: %v", err)
		}
	})
}
