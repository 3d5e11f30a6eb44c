package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func notice(id int64, state notifier.State) notifier.Notice {
	return notifier.Notice{
		Draft: notifier.Draft{
			Target: notifier.Target{Users: []string{"a", "b", "c", "d", "e"}}, Type: "like", Subject: "photo:1", Scope: "119240",
			Title: "Hello", Body: "One\nTwo", Link: "/photos/1", Sender: notifier.UserRef(carol),
		},
		ID: id, State: state, CreatedAt: noon.Add(-time.Hour), ExpiresAt: noon.Add(time.Hour),
		Recipients: 1500, Routed: true,
	}
}

func TestOnlyStaffPagesCarryTheTextsOfForms(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for address, want := range map[string]bool{"/inbox": false, "/settings": false, "/staff/send": true, "/staff/types": true} {
		r := w.get("carol", address).wantStatus(t, http.StatusOK)
		if texts := r.attr("body", "data-texts"); strings.Contains(texts, `"unsent_failed"`) != want || !strings.Contains(texts, `"close"`) {
			t.Errorf("%s: the texts are %s", address, texts)
		}
	}
}

func TestNoticePageShowsItsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct {
		progress                  notifier.Progress
		state, finished, bar, say string
		retract                   bool
	}{
		{notifier.Progress{Notice: notice(5, notifier.StateSending), Delivered: 1200, Read: 3, Counted: true}, "Sending", "false", "1200/1500", "", true},
		{notifier.Progress{Notice: notice(5, notifier.StateSent), Delivered: 1500, Read: 3, Counted: true}, "Sent", "true", "1500/1500", "", true},
		{notifier.Progress{Notice: notice(5, notifier.StateSent)}, "Sent", "true", "/", "Delivered and read counts are unavailable right now.", true},
		{notifier.Progress{Notice: notice(5, notifier.StateRetracting), Counted: true}, "Retracting", "false", "0/1500", "", false},
		{notifier.Progress{Notice: notice(5, notifier.StateRetracted), Counted: true}, "Retracted", "true", "0/1500", "", false},
	} {
		w.sender.progress = func(id int64) (notifier.Progress, error) { return test.progress, nil }
		r := w.get("carol", "/staff/notices/5").wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=state]", test.state)
		if got := r.text(".facts"); !strings.Contains(got, "photo:1") || !strings.Contains(got, "119240") {
			t.Errorf("%s: the facts are %q", test.state, got)
		}
		if got := r.attr("#progress", "data-finished"); got != test.finished {
			t.Errorf("%s: finished is %q", test.state, got)
		}
		if got := r.attr("progress#delivered", "value") + "/" + r.attr("progress#delivered", "max"); got != test.bar {
			t.Errorf("%s: the bar is at %s, want %s", test.state, got, test.bar)
		}
		if test.say != "" && !strings.Contains(r.text("#progress"), test.say) {
			t.Errorf("%s: the progress is %q", test.state, r.text("#progress"))
		}
		if refreshes := strings.Contains(r.body, `<noscript><meta http-equiv="refresh"`); refreshes == (test.finished == "true") {
			t.Errorf("%s: refreshes by itself: %v", test.state, refreshes)
		}
		if got := r.count("form[action='/staff/notices/5/retract']") == 1; got != test.retract {
			t.Errorf("%s: can be retracted: %v", test.state, got)
		}
	}
}

func TestNoticeThatIsNotRoutedYetSaysSo(t *testing.T) {
	t.Parallel()
	early := notice(5, notifier.StateAccepted)
	early.Routed, early.Recipients = false, 0
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: early, Counted: true}, nil }
	})
	r := w.get("carol", "/staff/notices/5")
	if r.count("progress") != 0 || !strings.Contains(r.text("#progress"), "Counting") {
		t.Errorf("the progress is %q", r.text("#progress"))
	}
}

func TestRetractingIsConfirmedAndHappensOnce(t *testing.T) {
	t.Parallel()
	var retracted []int64
	w := newWorld(t, func(w *world) {
		w.sender.retract = func(id int64) error {
			if id == 6 {
				return fmt.Errorf("retract: %w", notifier.ErrNotFound)
			}
			retracted = append(retracted, id)
			return nil
		}
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notice(id, notifier.StateSent), Counted: true}, nil
		}
	})
	r := w.get("carol", "/staff/notices/5")
	if r.count(".deeds > details.menu:not([open]) > .menu-items > [data-testid=retract]") != 1 {
		t.Error("Retract stands beside Edit")
	}
	if !strings.Contains(r.text("[data-testid=retract]"), "the inboxes of its 1,500 recipients") {
		t.Errorf("the explanation is %q", r.text("[data-testid=retract]"))
	}
	w.post("carol", "/staff/notices/5/retract").wantRedirect(t, "/staff/notices/5?done=retracting")
	w.post("carol", "/staff/notices/6/retract").wantStatus(t, http.StatusNotFound)
	w.post("alice", "/staff/notices/5/retract").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff([]int64{5}, retracted); diff != "" {
		t.Error(diff)
	}
}

func TestUsersAreFoundByNameInPages(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.config.Audiences = map[notifier.Audience]string{3: "guest"}
	})
	for i := range 51 {
		if _, err := w.db.CreateUser(t.Context(), notifier.NewUser{Name: fmt.Sprintf(`us"er %02d & co`, i), Audience: notifier.Audience(i%4 + 1)}); err != nil {
			t.Fatal(err)
		}
	}
	r := w.get("carol", "/staff/users?q=+us%22er+").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=user]") != 50 || r.attr("#q", "value") != `us"er` {
		t.Errorf("%d rows for %q", r.count("[data-testid=user]"), r.attr("#q", "value"))
	}
	if got := r.attr("a[rel=next]", "href"); got != "/staff/users?after=us%22er+49+%26+co&q=us%22er" {
		t.Errorf("Next links to %q", got)
	}
	if got := r.attr("[data-testid=user] th a", "href"); got != "/staff/users/us%22er%2000%20&%20co" {
		t.Errorf("a row links to %q", got)
	}
	r.wantText(t, "[data-testid=total]", "54")
	var audiences []string
	for _, row := range r.page.Find("[data-testid=user]").EachIter() {
		audiences = append(audiences, row.Find("[data-testid=groups] .chip").Text())
	}
	if diff := cmp.Diff([]string{"Operator", "User", "guest", "4"}, audiences[:4]); diff != "" {
		t.Error(diff)
	}
	for address, want := range map[string]int{"?after=us%22er+49+%26+co": 1, "?after=us%22er+49+%26+co&q=us%22er": 1, "?q=" + strings.Repeat("long", 100): 50, "?q=zzz": 0} {
		if n := w.get("carol", "/staff/users"+address).count("[data-testid=user]"); n != want {
			t.Errorf("%.40s lists %d, want %d", address, n, want)
		}
	}
}
