package handlers_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

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
	if r.count(".question [name=choice]") != 2 || r.attr(".question", "action") != "/inbox/answer" || r.count(".question .primary[value=approve]") != 1 || r.count(".question .danger[value=reject]") != 1 || r.count(".question details:not([open]) textarea[name=comment]") != 1 {
		t.Errorf("the row:\n%s", r.body)
	}
	key := r.attr(".question [name=key]", "value")
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
	key := w.get("alice", shown).attr(".question [name=key]", "value")
	for _, c := range []struct{ choice, comment, fault string }{
		{"reject", "", "“Reject” needs a comment."},
		{"approve", "<why>", "This choice has no comment."},
		{"reject", strings.Repeat("x", 501), "500"},
		{"maybe", "", "Choose one of approve, reject."},
	} {
		fields := []string{"key", key, "choice", c.choice, "comment", c.comment, "back", shown}
		r := w.post("alice", "/inbox/answer", fields...).wantStatus(t, http.StatusUnprocessableEntity)
		if !strings.Contains(r.text(".question .fault"), c.fault) || r.text(".question details[open] textarea[aria-invalid=true]") != c.comment || r.attr(".question [name=back]", "value") == "" {
			t.Errorf("%s: the page:\n%s", c.choice, r.body)
		}
		part := w.script("alice", "/inbox/answer", "e5", "key="+key+"&choice="+c.choice+"&comment="+c.comment+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
		if part.count("li.row .question .fault") != 1 || part.count("#done") != 0 {
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
	key := w.get("alice", shown).attr(".question [name=key]", "value")
	const became = "Approve · Bob, 11:59 · 'fits'"
	r := w.post("alice", "/inbox/answer", "key", key, "choice", "reject", "comment", "no", "back", shown).wantStatus(t, http.StatusConflict)
	r.wantText(t, ".became", became)
	if r.count(".question") != 0 {
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

// waitingAsks answers like asks, and has open questions.
type waitingAsks struct {
	asks
	open []notifier.OpenAsk
}

func (w waitingAsks) OpenFor(_ context.Context, seq int64) (open []notifier.OpenAsk) {
	for _, q := range w.open {
		if q.Asks(seq) {
			open = append(open, q)
		}
	}
	return open
}

func TestOpenQuestionsWaitAtTheTopOfTheWholeInboxAndStandNowhereElse(t *testing.T) {
	t.Parallel()
	asked, asks := entry(5, noon.Add(-40*24*time.Hour), true, false), waitingAsks{asks: noAsks}
	asked.Ask = question()
	asks.open = []notifier.OpenAsk{{ID: 5, Key: asked.Key, To: roaring.BitmapOf(uint32(alice.Seq))}, {ID: 6, Key: "deleted", To: roaring.BitmapOf(uint32(alice.Seq))}}
	w := questionWorld(t, question(), noAsks)
	w.config.Asks = asks
	w.rebuild()
	w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
		page := notifier.Page{Opened: q.Opened, Entries: []notifier.Entry{entry(9, noon, true, false), asked}}
		if q.Before == 0 {
			page.Older = 9
			page.Entries = page.Entries[:1]
		}
		return page, nil
	}
	first, older := w.get("alice", "/inbox?opened=0"), w.get("alice", "/inbox?opened=0&before=10")
	first.wantText(t, "#list > section:first-child h2#waiting", "Waiting for you")
	if first.count("[aria-labelledby=waiting] .row .question") != 1 || first.count(".row") != 2 || older.count(".row") != 1 || older.count(".question, #waiting") != 0 {
		t.Errorf("the first page:\n%s\nthe next one:\n%s", first.body, older.body)
	}
	if unread := w.get("alice", "/inbox?filter=unread"); unread.count("#waiting") != 0 {
		t.Error("the section is on a page with a filter")
	}
	asked.Ask = question().End(notifier.AskExpired, "", nil)
	w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return asked, nil }
	if over := w.get("alice", "/inbox?opened=0"); over.count("#waiting") != 0 {
		t.Error("a question that has ended still waits")
	}
}

func TestAnInboxWithAnOpenQuestionIsAlwaysRendered(t *testing.T) {
	t.Parallel()
	w := questionWorld(t, question(), noAsks)
	w.inbox.open = func(int64) (notifier.Page, error) {
		return notifier.Page{Ver: 7, Entries: []notifier.Entry{entry(5, noon, true, false)}}, nil
	}
	w.inbox.badge = func(int64) (notifier.Badge, error) { return notifier.Badge{Ver: 7}, nil }
	tag := w.get("alice", "/inbox").wantStatus(t, http.StatusOK).Header.Get("Etag")
	if tag == "" {
		t.Fatal("a page without questions has no ETag")
	}
	w.config.Asks = waitingAsks{noAsks, []notifier.OpenAsk{{ID: 5, Key: "x", To: roaring.BitmapOf(uint32(alice.Seq))}}}
	w.rebuild()
	if r := w.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusOK); r.Header.Get("Etag") != "" {
		t.Error("a page with a question has an ETag")
	}
}
