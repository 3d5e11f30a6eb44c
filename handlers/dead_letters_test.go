package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// deadWorld has one dead letter for each of these notices, numbered from 1.
func deadWorld(t *testing.T, notices ...int64) *world {
	t.Helper()
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notice(id, notifier.StateSending)}, nil
		}
	})
	for _, id := range notices {
		w.bury(id, fmt.Sprintf(`{"notice":%d,"from":7}`, id))
	}
	return w
}

// bury stores a dead letter of a notice.
func (d *databases) bury(noticeID int64, entry string) {
	d.t.Helper()
	letter := notifier.DeadLetter{NoticeID: noticeID, Entry: entry, Reason: "WRONGTYPE <b>of key</b>", Tries: 5, CreatedAt: noon.Add(-time.Hour)}
	if _, err := d.db.Bury(d.t.Context(), 0, 0, letter); err != nil {
		d.t.Fatal(err)
	}
}

// buried returns the IDs of the dead letters, newest first.
func (d *databases) buried() []int64 {
	d.t.Helper()
	all, err := d.db.DeadLetters(d.t.Context(), 0, 100)
	if err != nil {
		d.t.Fatal(err)
	}
	var ids []int64
	for _, each := range all {
		ids = append(ids, each.ID)
	}
	return ids
}

func TestDeadLettersAreDescribedAndCanBeRetried(t *testing.T) {
	t.Parallel()
	w := deadWorld(t)
	n := announced(0, 0, week)
	n.Title = "Lift <3>"
	if _, err := w.db.AnnounceOnce(t.Context(), notifier.Deed{}, &n, nil); err != nil {
		t.Fatal(err)
	}
	w.bury(0, `{"raw":"<7>"}`)
	w.bury(77, `{"notice":77}`)
	w.bury(n.ID, fmt.Sprintf(`{"notice":%d,"from":7}`, n.ID))
	r := w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "Failed deliveries")
	r.wantText(t, ".side [aria-current=page]", "Failed deliveries 3")
	var rows []string
	for _, e := range r.page.Find("[data-testid=dead-letter]").EachIter() {
		rows = append(rows, strings.Join(strings.Fields(e.Find("h2").Text()+" "+e.Find("h2 a").AttrOr("href", "")+" "+e.Find(".meta").Text()), " "))
	}
	want := []string{
		"Lift <3> /staff/notices/1 5 attempts Set aside: Today 11:00", "Notification 77 (deleted) 5 attempts Set aside: Today 11:00",
		"No notification 5 attempts Set aside: Today 11:00",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, "#dead-letter-3 .reason", "WRONGTYPE <b>of key</b>")
	r.wantText(t, "#dead-letter-3 pre", `{ "notice": 1, "from": 7 }`)
	r.wantText(t, "#dead-letter-1 pre", `{ "raw": "<7>" }`)
	if r.attr("#dead-letter-3 [action$='/replay'] button", "aria-label") != "Retry: Lift <3>" || r.count("form[action$='/replay']") != 1 || r.count("form[action$='/delete']") != 3 {
		t.Error("the forms do not match the possible actions")
	}
	w.submit("carol", r, "#dead-letter-3 form[action$='/replay']").wantRedirect(t, "/staff/deadletters?done=replayed")
	w.submit("carol", r, "#dead-letter-1 form[action$='/delete']").wantRedirect(t, "/staff/deadletters?done=discarded")
	w.submit("carol", r, "#dead-letter-1 form[action$='/delete']").wantStatus(t, http.StatusNotFound)
	if work := w.query(`SELECT notice_id FROM work`); !cmp.Equal(work, []string{"1"}) || !cmp.Equal(w.buried(), []int64{2}) {
		t.Errorf("the work is on %v, and the dead letters are %v", work, w.buried())
	}
	w.get("carol", "/staff/deadletters?done=replayed").wantText(t, "[data-testid=done] p", "Retrying delivery.")
	w.post("carol", "/staff/deadletters/2/delete")
	r = w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=empty] h2", "No failed deliveries")
	r.wantText(t, ".side [aria-current=page]", "Failed deliveries")
}

func TestDeadLettersAreListedInPages(t *testing.T) {
	t.Parallel()
	w := deadWorld(t, slices.Repeat([]int64{42}, 101)...)
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
	w := deadWorld(t, 43, 42, 42)
	r := w.get("carol", "/staff/notices/42").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=dead] p", "2 deliveries kept failing and were set aside. See failed deliveries")
	if w.get("carol", "/staff/notices/44").count("[data-testid=dead]") != 0 {
		t.Error("a delivered notice mentions dead letters")
	}
	w.exec(`ALTER TABLE dead_letters RENAME TO lost`)
	if r = w.get("carol", "/staff/notices/42").wantStatus(t, http.StatusOK); r.count("[data-testid=dead]") != 0 {
		t.Error("dead letters that cannot be counted are mentioned")
	}
	w.get("carol", "/staff/deadletters").wantStatus(t, http.StatusServiceUnavailable)
}

func TestDeadLettersAreForStaff(t *testing.T) {
	t.Parallel()
	w := deadWorld(t, 42)
	for _, address := range []string{"/staff/deadletters", "/staff/deadletters/1/replay", "/staff/deadletters/1/delete"} {
		w.get("alice", address).wantStatus(t, http.StatusNotFound)
		w.post("alice", address).wantStatus(t, http.StatusNotFound)
	}
	for _, id := range []string{"0", "-1", "9223372036854775808", "x", "10"} {
		w.post("carol", "/staff/deadletters/"+id+"/replay").wantStatus(t, http.StatusNotFound)
		w.post("carol", "/staff/deadletters/"+id+"/delete").wantStatus(t, http.StatusNotFound)
	}
	w.post("carol", "/staff/deadletters/1/replay", "else", "1").wantStatus(t, http.StatusUnprocessableEntity)
	w.postBody("carol", "/staff/deadletters/1/replay", "", "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site").wantStatus(t, http.StatusForbidden)
	if buried := w.buried(); len(buried) != 1 {
		t.Errorf("the dead letters are %v", buried)
	}
}
