package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// question is an open one, which ends in an hour.
func question() *notifier.Ask {
	return &notifier.Ask{
		ID: 5, State: notifier.AskOpen, ExpiresAt: noon.Add(time.Hour), Answers: []notifier.AskAnswer{},
		Choices: []notifier.Choice{
			{ID: "approve", Label: "Approve", Style: notifier.StylePrimary, Comment: notifier.CommentNone},
			{ID: "reject", Label: "Reject", Style: notifier.StyleDanger, Comment: notifier.CommentRequired},
		},
	}
}

// questionWorld has one entry, a question, which answers as asked.
func questionWorld(t *testing.T, ask *notifier.Ask, answer asks) *world {
	t.Helper()
	e := entry(5, noon.Add(-time.Hour), true, false)
	e.Ask = ask
	w := newWorld(t, func(w *world) { w.config.Asks = answer })
	w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
		return notifier.Page{Opened: q.Opened, Entries: []notifier.Entry{e}}, nil
	}
	w.inbox.find = func(seq int64, key string, _ int64) (notifier.Entry, error) {
		if seq != alice.Seq || key != e.Key {
			return notifier.Entry{}, notifier.ErrNotFound
		}
		return e, nil
	}
	return w
}

const shown = "/inbox?filter=unread"

func TestAQuestionIsAnsweredWithoutScript(t *testing.T) {
	t.Parallel()
	var given []notifier.Answering
	w := questionWorld(t, question(), func(is notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
		given = append(given, is)
		return notifier.Question{Asked: *question()}, notifier.AskAnswer{Choice: is.Choice}, nil
	})
	r := w.get("alice", shown).wantStatus(t, http.StatusOK)
	if r.count(".ask [name=choice]") != 2 || r.attr(".ask", "action") != "/inbox/answer" || r.count(".ask .primary[value=approve]") != 1 || r.count(".ask .danger[value=reject]") != 1 || r.count(".ask details:not([open]) textarea[name=comment]") != 1 {
		t.Errorf("the row:\n%s", r.body)
	}
	key := r.attr(".ask [name=key]", "value")
	r = w.post("alice", "/inbox/answer", "key", key, "choice", "reject", "comment", "too dear", "back", shown).wantStatus(t, http.StatusSeeOther)
	if to := r.Header.Get("Location"); to != shown[:len("/inbox?")]+"done=answered&filter=unread" {
		t.Errorf("it leads to %s", to)
	}
	if len(given) != 1 || given[0].Ask != 5 || given[0].User.Name != "alice" || given[0].Choice != "reject" || given[0].Comment != "too dear" {
		t.Errorf("the answer is %+v", given)
	}
	w.post("carol", "/inbox/answer", "key", key, "choice", "reject").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/inbox/answer", "choice", "reject").wantStatus(t, http.StatusUnprocessableEntity)
	if len(given) != 1 {
		t.Error("a refused form answers")
	}
}

func TestAQuestionAsksForTheCommentThatIsMissingAndKeepsWhatWasWritten(t *testing.T) {
	t.Parallel()
	w := questionWorld(t, question(), func(is notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
		return notifier.Question{Asked: *question()}, notifier.AskAnswer{}, is.Check(question())
	})
	key := w.get("alice", shown).attr(".ask [name=key]", "value")
	for _, c := range []struct{ choice, comment, fault string }{
		{"reject", "", "Required."},
		{"approve", "<why>", "This choice has no comment."},
		{"reject", strings.Repeat("x", 501), "500"},
		{"maybe", "", "Choose one of approve, reject."},
	} {
		fields := []string{"key", key, "choice", c.choice, "comment", c.comment, "back", shown}
		r := w.post("alice", "/inbox/answer", fields...).wantStatus(t, http.StatusUnprocessableEntity)
		if !strings.Contains(r.text(".ask .fault"), c.fault) || r.text(".ask details[open] textarea[aria-invalid=true]") != c.comment || r.attr(".ask [name=back]", "value") == "" {
			t.Errorf("%s: the page:\n%s", c.choice, r.body)
		}
		part := w.script("alice", "/inbox/answer", "e5", "key="+key+"&choice="+c.choice+"&comment="+c.comment+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
		if part.count("li.row .ask .fault") != 1 || part.count("#done") != 0 {
			t.Errorf("%s: the row:\n%s", c.choice, part.body)
		}
	}
}

func TestAQuestionSaysWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	ended := question().End(notifier.AskAnswered, "approve", []notifier.AskAnswer{{User: "bob", Name: "Bob", Choice: "approve", Comment: "fits", At: noon.Add(-time.Minute)}})
	w := questionWorld(t, question(), func(notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
		return notifier.Question{Asked: *question()}, notifier.AskAnswer{}, &notifier.RefusedAnswerError{Asked: *ended}
	})
	key := w.get("alice", shown).attr(".ask [name=key]", "value")
	const became = "Approve · Bob, 11:59 · 'fits'"
	r := w.post("alice", "/inbox/answer", "key", key, "choice", "reject", "comment", "no", "back", shown).wantStatus(t, http.StatusConflict)
	r.wantText(t, ".became", became)
	if r.count(".ask") != 0 {
		t.Error("the ended question still has buttons")
	}
	part := w.script("alice", "/inbox/answer", "e5", "key="+key+"&choice=reject&comment=no&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	part.wantText(t, "#done p", "Your answer does not count: "+became)
	for state, want := range map[notifier.AskState]string{notifier.AskExpired: "Expired", notifier.AskWithdrawn: "Withdrawn", notifier.AskAnswered: "Answered"} {
		questionWorld(t, question().End(state, "", nil), noAsks).get("alice", shown).wantText(t, ".became", want)
	}
	mine := &notifier.AskAnswer{User: "alice", Choice: "reject", At: noon}
	w = questionWorld(t, question(), func(notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
		return notifier.Question{Asked: *question()}, notifier.AskAnswer{}, &notifier.RefusedAnswerError{Asked: *question(), Mine: mine}
	})
	w.post("alice", "/inbox/answer", "key", key, "choice", "approve", "back", shown).wantStatus(t, http.StatusConflict).wantText(t, ".became", "Your answer: Reject")
}
