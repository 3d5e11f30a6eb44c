package handlers_test

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestATestGoesToItsSenderAloneAndKeepsTheForm(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 1509, &sent)
	for _, form := range [][]string{goodForm, with(with(goodForm, "target", "role"), "to_role", "picker"), with(goodForm, "to", "")} {
		sent = nil
		r := w.post("carol", "/staff/send", append(slices.Clone(form), "test", "1")...).wantStatus(t, http.StatusOK)
		if len(sent) != 1 || !slices.Equal(sent[0].Target.Users, []string{"carol"}) || sent[0].Title != "Hello" || sent[0].Subject != "" || sent[0].ExpiresIn != 24*time.Hour {
			t.Fatalf("sent: %+v", sent)
		}
		r.wantText(t, "[data-testid=tested] p", "A test is in your inbox. Nobody else got it. Open inbox")
		if r.attr("#title", "value") != "Hello" || r.attr("#subject", "value") != "photo:1" || r.text("#body") != "One Two" {
			t.Errorf("the form has lost its text: %q, %q", r.attr("#title", "value"), r.text("#body"))
		}
	}
	sent = nil
	r := w.post("carol", "/staff/send", append(with(goodForm, "title", ""), "test", "1")...).wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "#title-fault", "Required.")
	w.post("carol", "/staff/send", append(slices.Clone(goodForm), "test", "2")...).wantStatus(t, http.StatusUnprocessableEntity)
	if len(sent) > 0 {
		t.Errorf("sent: %+v", sent)
	}
}

func TestANoticeIsDuplicatedIntoTheForm(t *testing.T) {
	t.Parallel()
	topic, role, announcement := notice(6, notifier.StateSent), notice(7, notifier.StateSent), announced(8, -hour, week)
	topic.Target, role.Target = notifier.Target{Topic: notifier.Topic{Type: "news", Scope: "east"}}, notifier.Target{Role: "picker"}
	all := map[int64]notifier.Notice{5: notice(5, notifier.StateRetracted), 6: topic, 7: role, 8: announcement}
	w := newWorld(t, func(w *world) {
		w.sent.notice = func(id int64) (notifier.Notice, error) {
			if n, ok := all[id]; ok {
				return n, nil
			}
			return notifier.Notice{}, notifier.ErrNotFound
		}
	})
	w.haveMembers("picker", "bob")
	for id, want := range map[string]struct{ target, to, typ, scope string }{
		"5": {"user", "a b c d e", "like", "119240"}, "6": {"topic", "", "news", "east"}, "7": {"role", "", "like", "119240"}, "8": {"audience", "", "", ""},
	} {
		r := w.get("carol", "/staff/send?from="+id).wantStatus(t, http.StatusOK)
		if got := r.attr("[name=target][checked]", "value"); got != want.target {
			t.Errorf("notice %s: to a %s", id, got)
		}
		if want.target != "audience" && (r.text("#to") != want.to || r.attr("#type", "value") != want.typ || r.attr("#scope", "value") != want.scope || r.attr("#title", "value") != "Hello") {
			t.Errorf("notice %s: %q, %q, %q, %q", id, r.text("#to"), r.attr("#type", "value"), r.attr("#scope", "value"), r.attr("#title", "value"))
		}
		if r.attr("#subject", "value") != "" || r.attr("#starts_at", "value") != "" {
			t.Errorf("notice %s: a duplicate would replace it, or has its time", id)
		}
	}
	w.get("carol", "/staff/send?from=99").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/staff/send?from=x").wantStatus(t, http.StatusNotFound)
	w.sender.progress = func(id int64) (notifier.Progress, error) { return notifier.Progress{Notice: all[id]}, nil }
	if href := w.get("carol", "/staff/notices/5").attr("[data-testid=duplicate]", "href"); href != "/staff/send?from=5" {
		t.Errorf("the page of a notice leads to %q", href)
	}
}

func TestAFreshInstallationSaysWhatToDoNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.exec(`DELETE FROM role_members; DELETE FROM targets; DELETE FROM users`)
	w.get("", "/login").wantText(t, "[data-testid=first] code", "carillon user add alice --role staff --password-stdin < password")
	w.haveUsers("alice")
	if w.get("", "/login").count("[data-testid=first]") != 0 {
		t.Error("the command is shown although there are users")
	}
	w.inbox.open = func(int64) (notifier.Page, error) { return notifier.Page{Ver: 3}, nil }
	if href := w.get("carol", "/inbox").attr("[data-testid=empty] a.button", "href"); href != "/staff/send?title=My+first+notification&to=carol&type=test" {
		t.Errorf("the empty inbox of a member of staff leads to %q", href)
	}
	if w.get("alice", "/inbox").count("[data-testid=empty] a.button") != 0 {
		t.Error("the empty inbox of a user leads to the form")
	}
}
