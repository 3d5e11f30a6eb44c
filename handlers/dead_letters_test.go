package handlers_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// deadLetters is a fake list, newest first.
type deadLetters struct {
	all   []notifier.DeadLetter
	known map[int64]notifier.Notice
	did   []string
	err   error
}

func (d *deadLetters) DeadLetters(_ context.Context, before int64, limit int) ([]notifier.DeadLetter, error) {
	var found []notifier.DeadLetter
	for _, l := range d.all {
		if (before == 0 || l.ID < before) && len(found) < limit {
			found = append(found, l)
		}
	}
	return found, d.err
}

func (d *deadLetters) CountDeadLetters(context.Context) (int64, error) {
	return int64(len(d.all)), d.err
}

func (d *deadLetters) DeadLettersOf(_ context.Context, id int64) (n int64, err error) {
	for _, l := range d.all {
		if l.NoticeID == id {
			n++
		}
	}
	return n, d.err
}

func (d *deadLetters) Contents(context.Context, []int64) (map[int64]notifier.Notice, error) {
	return d.known, d.err
}

func (d *deadLetters) Replay(_ context.Context, id int64) error { return d.deal("replay", id) }

func (d *deadLetters) Discard(_ context.Context, id int64) error { return d.deal("discard", id) }

func (d *deadLetters) deal(what string, id int64) error {
	for i, l := range d.all {
		if l.ID == id {
			d.all = append(d.all[:i:i], d.all[i+1:]...)
			d.did = append(d.did, fmt.Sprint(what, " ", id))
			return nil
		}
	}
	return notifier.ErrNotFound
}

func deadWorld(t *testing.T, all ...notifier.DeadLetter) (*world, *deadLetters) {
	t.Helper()
	n := notice(42, notifier.StateSending)
	n.Title = "Lift <3>"
	d := &deadLetters{all: all, known: map[int64]notifier.Notice{42: n}}
	w := newWorld(t, func(w *world) {
		w.config.DeadLetters = d
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notice(id, notifier.StateSending)}, nil
		}
	})
	return w, d
}

func deadLetter(id, noticeID int64) notifier.DeadLetter {
	return notifier.DeadLetter{
		ID: id, NoticeID: noticeID, Entry: `{"notice":42,"from":"<7>"}`, Reason: "WRONGTYPE <b>of key</b>", Tries: 5, CreatedAt: noon.Add(-time.Hour),
	}
}

func TestDeadLettersAreDescribedAndCanBeRetried(t *testing.T) {
	t.Parallel()
	w, d := deadWorld(t, deadLetter(9, 42), deadLetter(8, 77), deadLetter(7, 0))
	r := w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Failed deliveries")
	r.wantText(t, ".side [aria-current=page]", "Failed deliveries 3")
	var rows []string
	for _, e := range r.page.Find("[data-testid=dead-letter]").EachIter() {
		rows = append(rows, strings.Join(strings.Fields(e.Find("h2").Text()+" "+e.Find("h2 a").AttrOr("href", "")+" "+e.Find(".meta").Text()), " "))
	}
	want := []string{
		"Lift <3> /staff/notices/42 5 attempts Set aside: Today 11:00", "Notice 77 (deleted) 5 attempts Set aside: Today 11:00",
		"No notice 5 attempts Set aside: Today 11:00",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, "#dead-letter-9 .reason", "WRONGTYPE <b>of key</b>")
	r.wantText(t, "#dead-letter-9 pre", `{ "notice": 42, "from": "<7>" }`)
	if r.attr("#dead-letter-9 [action$='/replay'] button", "aria-label") != "Retry: Lift <3>" || r.count("form[action$='/replay']") != 1 || r.count("form[action$='/delete']") != 3 {
		t.Error("the forms do not match the possible actions")
	}
	w.submit("carol", r, "#dead-letter-9 form[action$='/replay']").wantRedirect(t, "/staff/deadletters?done=replayed")
	w.submit("carol", r, "#dead-letter-7 form[action$='/delete']").wantRedirect(t, "/staff/deadletters?done=discarded")
	w.submit("carol", r, "#dead-letter-7 form[action$='/delete']").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff([]string{"replay 9", "discard 7"}, d.did); diff != "" {
		t.Error(diff)
	}
	entries := []notifier.AuditEntry{
		{Actor: notifier.UserRef(carol), Action: "deadletter.replay", Object: notifier.DeadLetterRef(9), Address: "192.0.2.1"}, {Actor: notifier.UserRef(carol), Action: "deadletter.delete", Object: notifier.DeadLetterRef(7), Address: "192.0.2.1"},
	}
	if diff := cmp.Diff(entries, w.audit.entries); diff != "" {
		t.Error(diff)
	}
	w.get("carol", "/staff/deadletters?done=replayed").wantText(t, "[data-testid=done] p", "Retrying delivery.")
	d.all = nil
	r = w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=empty] h2", "No failed deliveries")
	r.wantText(t, ".side [aria-current=page]", "Failed deliveries")
}

func TestDeadLettersAreListedInPages(t *testing.T) {
	t.Parallel()
	var all []notifier.DeadLetter
	for id := int64(101); id > 0; id-- {
		all = append(all, deadLetter(id, 42))
	}
	w, _ := deadWorld(t, all...)
	for _, test := range []struct {
		address, next, first string
		rows                 int
	}{
		{"", "?before=52", "", 50},
		{"?before=52", "?before=2", "/staff/deadletters", 50},
		{"?before=2", "", "/staff/deadletters", 1},
		{"?before=x", "?before=52", "", 50},
	} {
		r := w.get("carol", "/staff/deadletters"+test.address).wantStatus(t, http.StatusOK)
		next := strings.TrimPrefix(r.attr("a[rel=next]", "href"), "/staff/deadletters")
		if next != test.next || r.attr(".pager a:not([rel])", "href") != test.first || r.count("[data-testid=dead-letter]") != test.rows {
			t.Errorf("%s: %d rows, then %q, first %q", test.address, r.count("[data-testid=dead-letter]"), next, r.attr(".pager a:not([rel])", "href"))
		}
	}
}

func TestNoticePageMentionsItsDeadLetters(t *testing.T) {
	t.Parallel()
	w, d := deadWorld(t, deadLetter(9, 42), deadLetter(8, 42), deadLetter(7, 43))
	r := w.get("carol", "/staff/notices/42").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=dead] p", "2 deliveries kept failing and were set aside. See failed deliveries")
	if w.get("carol", "/staff/notices/44").count("[data-testid=dead]") != 0 {
		t.Error("a delivered notice mentions dead letters")
	}
	d.err = errAway
	if r = w.get("carol", "/staff/notices/42").wantStatus(t, http.StatusOK); r.count("[data-testid=dead]") != 0 {
		t.Error("dead letters that cannot be counted are mentioned")
	}
	w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusServiceUnavailable)
}

func TestDeadLettersAreForStaff(t *testing.T) {
	t.Parallel()
	w, d := deadWorld(t, deadLetter(9, 42))
	for _, address := range []string{"/staff/deadletters", "/staff/deadletters/9/replay", "/staff/deadletters/9/delete"} {
		w.get("alice", address).wantStatus(t, http.StatusNotFound)
		w.post("alice", address).wantStatus(t, http.StatusNotFound)
	}
	for _, id := range []string{"0", "-1", "9223372036854775808", "x", "10"} {
		w.post("carol", "/staff/deadletters/"+id+"/replay").wantStatus(t, http.StatusNotFound)
		w.post("carol", "/staff/deadletters/"+id+"/delete").wantStatus(t, http.StatusNotFound)
	}
	w.post("carol", "/staff/deadletters/9/replay", "else", "1").wantStatus(t, http.StatusUnprocessableEntity)
	w.postBody("carol", "/staff/deadletters/9/replay", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
	if len(d.did) != 0 {
		t.Errorf("did %v", d.did)
	}
}
