package handlers_test

import (
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// remindWorld has sent notice 5, whose reminder reaches unread recipients.
func remindWorld(t *testing.T, unread int64, asked *[]notifier.Reminder) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			n := notice(id, notifier.StateSent)
			n.Recipients, n.Routed = 2000, true
			return notifier.Progress{Notice: n, Counted: true, Delivered: 2000, Read: 2000 - unread}, nil
		}
		w.sender.remind = func(r notifier.Reminder) (notifier.Notice, int64, error) {
			if unread == 0 || !r.Sure(unread) {
				return notifier.Notice{}, unread, nil
			}
			*asked = append(*asked, r)
			return notifier.Notice{ID: 42}, unread, nil
		}
	})
}

func TestAReminderIsOfferedAndSentOnce(t *testing.T) {
	t.Parallel()
	var asked []notifier.Reminder
	w := remindWorld(t, 1000, &asked)
	r := w.get("carol", "/staff/notices/5").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=remind] button", "Send reminder")
	for range 2 {
		w.submit("carol", r, "[data-testid=remind] form").wantRedirect(t, "/staff/notices/42?done=reminded")
	}
	if len(asked) != 2 || asked[0].NoticeID != 5 || asked[0].Once == nil ||
		asked[0].Once.Key != asked[1].Once.Key || !asked[0].Once.Owner.Is(notifier.UserRef(carol)) {
		t.Errorf("asked: %+v", asked)
	}
	if e := w.audit.entries[0]; !e.Actor.Is(notifier.UserRef(carol)) || e.Action != "notice.remind" || e.Object != notifier.NoticeRef(5) {
		t.Errorf("logged: %+v", e)
	}
}

func TestManyPeopleAreRemindedOnlyAfterTheirNumberIsConfirmed(t *testing.T) {
	t.Parallel()
	var asked []notifier.Reminder
	w := remindWorld(t, 1204, &asked)
	r := w.get("carol", "/staff/notices/5")
	once := r.attr("[data-testid=remind] [name=once]", "value")
	for _, confirm := range []string{"", "1", "1205", "01204"} {
		r := w.post("carol", "/staff/notices/5/remind", "once", once, "confirm", confirm)
		r.wantRedirect(t, "/staff/notices/5?once="+once+"&remind=1204#remind")
	}
	r = w.get("carol", "/staff/notices/5?once="+once+"&remind=1204")
	r.wantText(t, "[data-testid=remind][open] strong", "This notification goes to 1,204 people.")
	r.wantText(t, "[data-testid=remind] button", "Remind 1,204 people")
	if len(asked) != 0 {
		t.Fatalf("sent: %+v", asked)
	}
	w.submit("carol", r, "[data-testid=remind] form").wantRedirect(t, "/staff/notices/42?done=reminded")
	if len(asked) != 1 || asked[0].Once.Key != once {
		t.Errorf("sent: %+v", asked)
	}
}

func TestNoReminderOfANoticeThatIsReadByAllOrOver(t *testing.T) {
	t.Parallel()
	var asked []notifier.Reminder
	w := remindWorld(t, 0, &asked)
	if w.get("carol", "/staff/notices/5").count("[data-testid=remind]") != 0 {
		t.Error("offered although everybody has read it")
	}
	w.post("carol", "/staff/notices/5/remind").wantRedirect(t, "/staff/notices/5?done=reminded-nobody")
	w.sender.remind = func(notifier.Reminder) (notifier.Notice, int64, error) {
		return notifier.Notice{}, 0, notifier.ErrConflict
	}
	w.post("carol", "/staff/notices/5/remind").wantStatus(t, http.StatusConflict)
	w.sender.remind = func(notifier.Reminder) (notifier.Notice, int64, error) {
		return notifier.Notice{}, 0, notifier.ErrNotFound
	}
	w.post("carol", "/staff/notices/5/remind").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/staff/notices/5/remind").wantStatus(t, http.StatusNotFound)
	w.sender.progress = func(id int64) (notifier.Progress, error) {
		n := notice(id, notifier.StateRetracted)
		n.Recipients, n.Routed = 2, true
		return notifier.Progress{Notice: n, Counted: true}, nil
	}
	if w.get("carol", "/staff/notices/5").count("[data-testid=remind]") != 0 || len(asked) > 0 {
		t.Error("offered although it is retracted")
	}
}
