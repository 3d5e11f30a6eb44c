package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// texts returns the text of each element, with single spaces.
func (r reply) texts(sel string) (all []string) {
	for _, e := range r.page.Find(sel).EachIter() {
		all = append(all, strings.Join(strings.Fields(e.Text()), " "))
	}
	return all
}

func TestNoticePageSaysWhoDidWhatAndWhen(t *testing.T) {
	t.Parallel()
	late := notice(5, notifier.StateRetracted)
	late.SendAt, late.ReleasedAt = noon.Add(-time.Minute), noon.Add(-time.Minute)
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: late, Counted: true}, nil }
		late.Target = notifier.Target{Users: []string{"42", "bob"}}
		w.called("carol", "Carol (API key)")
		w.called("42", "Ann <b>")
		w.sent.log = []notifier.AuditEntry{
			{At: noon, Actor: notifier.KeyRef("shop"), Action: "notice.retract"},
			{At: noon.Add(-2 * time.Minute), Actor: notifier.UserRef(carol), Action: "notice.edit", Detail: "unread for everybody"},
			{At: noon.Add(-3 * time.Minute), Actor: notifier.DeletedUser(), Action: "notice.edit"},
			{At: noon.Add(-time.Hour), Actor: notifier.UserRef(carol), Action: "notice.send"},
		}
	})
	r := w.get("carol", "/staff/notices/5").wantStatus(t, http.StatusOK)
	want := []string{
		"Retracted by shop (API key)", "Sent to its recipients", "Edited by carol · Carol (API key) (user) and marked as unread for everyone",
		"Edited by (a deleted user)", "Scheduled by carol · Carol (API key) (user)",
	}
	if diff := cmp.Diff(want, r.texts("[data-testid=history] li > span")); diff != "" {
		t.Error(diff)
	}
	if facts := strings.Join(r.texts("dd"), "\n"); !strings.Contains(facts, "42 · Ann <b>, bob") {
		t.Errorf("the facts do not say who the recipients are:\n%s", facts)
	}
}

func TestNoticePageAnswersWhetherItWorked(t *testing.T) {
	t.Parallel()
	few := notice(5, notifier.StateSending)
	few.Recipients = 5
	all := notifier.Progress{Notice: few, Delivered: 3, Read: 1, Counted: true}
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return all, nil }
		w.sender.receipts = func(int64) []notifier.Receipt {
			return []notifier.Receipt{{User: notifier.UserName{Name: "a", Display: "Anna"}, Delivered: true}, {User: notifier.UserName{Name: "b"}, Delivered: true, Unknown: true}, {User: notifier.UserName{Name: "c"}}, {User: notifier.UserName{Name: "d"}, Delivered: true, Read: true}}
		}
	})
	r := w.get("carol", "/staff/notices/5")
	r.wantText(t, "[data-testid=figure]", "1 of 5 read · 20 %")
	want := []string{"a AnnaNot read yet", "b Unknown", "c Not delivered yet", "d Read"}
	if diff := cmp.Diff(want, r.texts("[data-testid=people] li")); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, ".notice-head [data-testid=state]", "Sending")
	if r.attr("#progress", "hx-select-oob") != "#state" {
		t.Error("the state is not followed")
	}

	all.Notice.Recipients, all.Delivered, all.Read = 1500, 1500, 1499
	r = w.get("carol", "/staff/notices/5")
	r.wantText(t, "[data-testid=figure]", "1,499 of 1,500 read · 99 %")
	if r.count("[data-testid=people]") != 0 {
		t.Error("1,500 recipients are listed")
	}
	if got := r.attr("[data-testid=see-unread]", "href"); got != "/staff/notices/5/unread" {
		t.Errorf("the list of who has not read it is at %q", got)
	}
	all.ReadUnknown = true
	if r = w.get("carol", "/staff/notices/5"); r.count("[data-testid=figure]") != 0 {
		t.Error("a number is shown that is unknown")
	}
}
