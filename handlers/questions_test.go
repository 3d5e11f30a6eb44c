package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// asked stores a question to alice and carol and returns its id.
func (w *world) asked(title string, rule notifier.AskRule) int64 {
	w.t.Helper()
	rule.Within = 3 * time.Hour
	n := notifier.Notice{Draft: notifier.Draft{
		Target: notifier.Target{Users: []string{"alice", "carol"}}, Type: "payment", Title: title, Sender: notifier.KeyRef("shop"),
	}, CreatedAt: w.clock(), ExpiresAt: w.clock().Add(48 * time.Hour)}
	ask := question()
	ask.ID, ask.Rule = 0, rule
	n.Extras.Ask = ask.Opened(w.clock())
	a := notifier.Acceptance{Notice: &n, To: roaring.BitmapOf(uint32(alice.Seq), uint32(carol.Seq))}
	if err := w.db.AcceptAll(w.t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		w.t.Fatal(err, a.Err)
	}
	return n.ID
}

// answers answers a question for a user.
func (w *world) answers(id int64, u notifier.User, choice notifier.ChoiceID, comment string) {
	w.t.Helper()
	if _, _, err := w.db.Answer(w.t.Context(), notifier.Actor{Ref: notifier.UserRef(u)}, notifier.Answering{Ask: id, User: u, Choice: choice, Comment: comment}); err != nil {
		w.t.Fatal(err)
	}
}

func TestStaffSeeWhatWasAskedWhoAnsweredAndHowLongItIsOpen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.get("alice", "/staff/questions").wantStatus(t, http.StatusNotFound)
	w.get("alice", "/staff/questions.csv").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/staff/questions").wantStatus(t, http.StatusOK).wantText(t, ".empty h2", "No open questions")
	open, ended := w.asked("Pay Acme?", notifier.AskRule{Needs: 2}), w.asked("=Lunch?", notifier.AskRule{Needs: 1})
	w.answers(open, alice, "approve", "")
	w.answers(ended, carol, "reject", "a <meeting>")
	r := w.get("carol", "/staff/questions").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=question] th a", "Pay Acme?")
	for _, want := range []string{"3 hours", "1 answer", "Approve · alice, 20 November 2026", "To alice, carol", "Open"} {
		if text := r.text("[data-testid=question]"); !strings.Contains(text, want) {
			t.Errorf("the row has no %q: %s", want, text)
		}
	}
	r = w.get("carol", "/staff/questions?state=ended").wantStatus(t, http.StatusOK)
	if text := r.text("[data-testid=question]"); r.count("[data-testid=question]") != 1 || !strings.Contains(text, "Reject") || !strings.Contains(text, "'a <meeting>'") || strings.Contains(text, "hours") {
		t.Errorf("the ended question: %s", text)
	}
	rows := w.export(t, r.attr("[data-testid=export]", "href"))
	if len(rows) != 2 || rows[1][1] != "'=Lunch?" || rows[1][6] != "Reject" || rows[1][9] != "carol" || rows[1][11] != "Reject" || rows[1][12] != "a <meeting>" {
		t.Errorf("the file: %q", rows)
	}
	if rows := w.export(t, "/staff/questions.csv"); len(rows) != 2 || rows[1][5] != "Open" || rows[1][6] != "" || rows[1][9] != "alice" {
		t.Errorf("the file of open questions: %q", rows)
	}
}

func TestTheListOfQuestionsHasPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for range 51 {
		w.asked("Lunch?", notifier.AskRule{Needs: 1})
	}
	first := w.get("carol", "/staff/questions").wantStatus(t, http.StatusOK)
	second := w.get("carol", first.attr("a[rel=next]", "href")).wantStatus(t, http.StatusOK)
	if first.count("[data-testid=question]") != 50 || second.count("[data-testid=question]") != 1 || second.count("a[rel=next]") != 0 || second.attr("#pager a", "href") != "/staff/questions" {
		t.Errorf("the pages have %d and %d questions", first.count("[data-testid=question]"), second.count("[data-testid=question]"))
	}
	if rows := w.export(t, "/staff/questions.csv"); len(rows) != 52 {
		t.Errorf("the file has %d lines", len(rows))
	}
}
