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

// announced returns an announcement whose window has these offsets from noon.
func announced(id int64, opens, closes time.Duration) notifier.Notice {
	return notifier.Notice{
		Draft: notifier.Draft{
			Target: notifier.Target{Audiences: []notifier.Audience{2, 3}}, Type: "announcement", Title: "Hello", Body: "One\nTwo",
			Link: "/sale", Sender: notifier.UserRef(carol), Window: notifier.Window{StartsAt: noon.Add(opens), EndsAt: noon.Add(closes), Pinned: true},
		},
		ID: id, State: notifier.StateSent, CreatedAt: noon.Add(-time.Hour), ExpiresAt: noon.Add(closes), Routed: true, Revision: 7,
	}
}

func seenBy(n notifier.Notice) notifier.Progress {
	return notifier.Progress{Notice: n, Counted: true, Shares: []notifier.Share{
		{Audience: 2, Members: 10, Reads: 4, Counted: true}, {Audience: 3, Members: 1203, Reads: 300, Counted: true},
	}}
}

func retracted(n notifier.Notice) notifier.Notice {
	n.State = notifier.StateRetracted
	return n
}

const (
	hour = time.Hour
	week = 7 * 24 * time.Hour
)

func TestAnnouncementPageShowsItsPhaseAndActions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for _, test := range []struct {
		notice                 notifier.Notice
		state, finished, say   string
		edit, retract, forgets int
		retractSays            string
	}{
		{announced(5, hour, week), "Scheduled", "false", "Starts on 20 November 2026, 22:00 and ends on 27 November 2026, 21:00.", 1, 1, 0, "will not open"},
		{announced(5, -hour, week), "Open", "false", "Open until 27 November 2026, 21:00.", 1, 1, 0, "Removed for everyone at once"},
		{announced(5, -week, -hour), "Closed", "true", "Closed on 20 November 2026, 20:00.", 0, 0, 1, ""},
		{retracted(announced(5, -hour, week)), "Retracted", "true", "", 0, 0, 1, ""},
	} {
		w.sender.progress = func(int64) (notifier.Progress, error) { return seenBy(test.notice), nil }
		r := w.get("carol", "/staff/notices/5", inTokyo...).wantStatus(t, http.StatusOK)
		r.wantText(t, "[data-testid=state]", test.state)
		r.wantText(t, "#progress [data-testid=schedule]", test.say)
		if got := r.attr("#progress", "data-finished"); got != test.finished {
			t.Errorf("%s: finished is %q", test.state, got)
		}
		if polls := r.attr("#progress", "hx-trigger"); (polls == "every 2s") != (test.finished == "false") {
			t.Errorf("%s: polls %q", test.state, polls)
		}
		if strings.Contains(r.body, `http-equiv="refresh"`) {
			t.Errorf("%s: the page reloads by itself, possibly for weeks", test.state)
		}
		got := []int{r.count("a[data-testid=edit]"), r.count("form[action='/staff/notices/5/retract']"), r.count("form[action='/staff/notices/5/delete']")}
		if diff := cmp.Diff([]int{test.edit, test.retract, test.forgets}, got); diff != "" {
			t.Errorf("%s: %s", test.state, diff)
		}
		if !strings.Contains(r.text("[data-testid=retract]"), test.retractSays) {
			t.Errorf("%s: the page says %q", test.state, r.text("[data-testid=retract]"))
		}
	}
}

func TestActionsFollowThePhase(t *testing.T) {
	t.Parallel()
	now := announced(5, hour, week)
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return seenBy(now), nil }
	})
	script := append([]string{"HX-Request", "true", "HX-Target", "progress"}, inTokyo...)
	again := w.get("carol", "/staff/notices/5", inTokyo...).attr("#progress", "hx-get")
	for _, test := range []struct {
		phase  string
		notice notifier.Notice
		turned bool
		holds  string
	}{
		{"scheduled still", announced(5, hour, week), false, ""},
		{"open", announced(5, -hour, week), true, "[data-testid=retract]:contains('Removed for everyone at once')"},
		{"open still", announced(5, -hour, week), false, ""},
		{"retracted", retracted(announced(5, -hour, week)), true, "[data-testid=delete]"},
	} {
		now = test.notice
		r := w.get("carol", again, script...).wantStatus(t, http.StatusOK)
		if (r.count("#deeds[hx-swap-oob]") == 1) != test.turned || r.count("#deeds") != 1 || test.turned && r.count("#deeds "+test.holds) != 1 {
			t.Errorf("%s: the actions are replaced: %v", test.phase, !test.turned)
		}
		again = r.attr("#progress", "hx-get")
	}
	if again != "" {
		t.Errorf("an announcement that is over polls %s", again)
	}
	if w.get("carol", "/staff/notices/5?phase=open").count("#deeds[hx-swap-oob]") != 0 {
		t.Error("a whole page has attributes for an out-of-band swap")
	}
}

func TestAnnouncementPageShowsReadersByAudience(t *testing.T) {
	t.Parallel()
	p := seenBy(announced(5, -hour, week))
	p.Shares = append(p.Shares, notifier.Share{Audience: 1, Members: 4}, notifier.Share{Audience: 9, Counted: true})
	w := newWorld(t, func(w *world) { w.sender.progress = func(int64) (notifier.Progress, error) { return p, nil } })
	r := w.get("carol", "/staff/notices/5", inTokyo...)
	var bars []string
	for _, line := range r.page.Find("#progress .bar-line").EachIter() {
		bar := line.Find("progress")
		bars = append(bars, line.Find("label, p").Text()+" "+line.Find("span").Text()+" "+bar.AttrOr("value", "")+"/"+bar.AttrOr("max", ""))
	}
	want := []string{"Read by User 4 of 10 4/10", "Read by Customer 300 of 1,203 300/1203", "Read by Operator unknown right now /", "Read by 9 no recipients /"}
	if diff := cmp.Diff(want, bars); diff != "" {
		t.Error(diff)
	}
	if r.attr("[data-testid=read-3]", "value") != "300" {
		t.Error("the bar of an audience cannot be found by its number")
	}
	facts := map[string]string{}
	for _, row := range r.page.Find(".facts > div").EachIter() {
		facts[row.Find("dt").Text()] = strings.TrimSpace(row.Find("dd").Text())
	}
	wantFacts := map[string]string{
		"To": "everyone in User, Customer", "Category": "announcement",
		"Opens": "20 Nov 2026, 20:00 JST", "Closes": "27 Nov 2026, 21:00 JST", "Pinned": "Yes",
		"Shown to people who join later": "No", "Pop-up": "No", "Revision": "7",
	}
	if diff := cmp.Diff(wantFacts, facts); diff != "" {
		t.Error(diff)
	}
	r.wantText(t, "[data-testid=history] li", "Sent by carol 20 Nov 2026, 20:00 JST")
}

func TestSentListShowsAnnouncements(t *testing.T) {
	t.Parallel()
	away := seenBy(announced(3, -hour, week))
	away.Shares[1].Counted = false
	all := []notifier.Progress{
		seenBy(announced(6, hour, week)), seenBy(announced(5, -hour, week)), seenBy(announced(4, -week, -hour)), away,
		seenBy(retracted(announced(2, -hour, week))),
		{Notice: notice(1, notifier.StateSending), Delivered: 3, Counted: true},
	}
	w := newWorld(t, func(w *world) {
		w.sender.progressOf = func([]notifier.Notice) ([]notifier.Progress, error) { return all, nil }
	})
	r := w.get("carol", "/staff/notices?done=removed&q=h")
	r.wantText(t, "[data-testid=done]", "The announcement has been deleted.")
	var rows []string
	for _, row := range r.page.Find("[data-testid=sent]").EachIter() {
		read := row.Find("[data-testid=read]")
		rows = append(rows, strings.Join([]string{
			row.AttrOr("id", ""), row.Find(".chip").AttrOr("data-state", ""), row.Find(".chip").Text(),
			strings.Join(strings.Fields(row.Find("[data-testid=delivered]").Text()), " "),
			strings.Join(strings.Fields(read.Text()), " "), read.Find("progress").AttrOr("value", ""),
		}, "|"))
	}
	want := []string{
		"notice-6|scheduled|Scheduled||not open yet|",
		"notice-5|open|Open||304 of 1,213|304",
		"notice-4|closed|Closed||304 of 1,213|304",
		"notice-3|open|Open||unknown right now|",
		"notice-2|retracted|Retracted||304 of 1,213|304",
		"notice-1|sending|Sending|3 of 1,500|0 of 1,500|0",
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Error(diff)
	}
	if got := r.text("#notice-5 th .hint"); got != "To everyone in User, Customer · by carol" {
		t.Errorf("the target is shown as %q", got)
	}
	follow := r.page.Find("#follow")
	got := []string{follow.AttrOr("hx-get", ""), follow.AttrOr("hx-trigger", ""), follow.AttrOr("hx-select-oob", "")}
	wantFollow := []string{"/staff/notices?q=h", "every 5s", "#follow,#state-6,#read-6,#state-5,#read-5,#state-3,#read-3"}
	if diff := cmp.Diff(wantFollow, got); diff != "" {
		t.Error(diff)
	}
	for _, id := range strings.Split(follow.AttrOr("hx-select-oob", ""), ",") {
		if r.count(id) != 1 {
			t.Errorf("%s occurs %d times on the page", id, r.count(id))
		}
	}
	if r.count("#notice-5[hx-get]") != 0 || r.count("#notice-1[hx-get]") != 1 {
		t.Error("an announcement's row polls by itself, or a notice being delivered does not")
	}
	all = all[2:3]
	if w.get("carol", "/staff/notices").count("[hx-trigger^=every]") != 0 {
		t.Error("a list without pending changes polls")
	}
}

func TestNamesAreJoinedAsTheLanguageDoes(t *testing.T) {
	t.Parallel()
	toMany := notifier.Progress{Notice: notice(4, notifier.StateSent), Counted: true}
	toMany.Target = notifier.Target{Users: []string{"a", "b", "c", "d"}}
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(int64) (notifier.Progress, error) { return seenBy(announced(5, -hour, week)), nil }
		w.sender.progressOf = func([]notifier.Notice) ([]notifier.Progress, error) {
			return []notifier.Progress{seenBy(announced(5, -hour, week)), toMany}, nil
		}
	})
	w.haveMembers("picker", "carol")
	w.haveAudiences()
	for lang, want := range map[string][]string{
		"en": {"User, Customer", "a, b, c and 1 more", "picker staff", "Operator 4 people User 10 people Customer 1,203 people"},
		"ja": {"一般ユーザー、顧客", "a、b、c ほか1人", "picker staff", "オペレーター 4人 一般ユーザー 10人 顧客 1,203人"},
		"zh": {"普通用户、客户", "a、b、c", "picker staff", "运营人员 4 人 普通用户 10 人 客户 1,203 人"},
	} {
		in := []string{"Accept-Language", lang}
		list, one := w.get("carol", "/staff/notices", in...), w.get("carol", "/staff/notices/5", in...)
		for what, says := range map[string][2]string{
			"the list":                 {list.text("#notice-5 th .hint"), want[0]},
			"the list of one to users": {list.text("#notice-4 th .hint"), want[1]},
			"the page":                 {one.text(".facts"), want[0]},
			"the list of people":       {w.get("carol", "/staff/users", in...).text("tbody"), want[2]},
			"the boxes of an edit":     {w.get("carol", "/staff/notices/5/edit", in...).text("#to_audience label"), want[3]},
		} {
			if !strings.Contains(says[0], says[1]) {
				t.Errorf("%s: %s is %q, want %q", lang, what, says[0], says[1])
			}
		}
	}
}

func TestDeletingAnAnnouncementIsShownAndAudited(t *testing.T) {
	t.Parallel()
	var deleted []int64
	w := newWorld(t, func(w *world) {
		w.sender.remove = func(id int64) error {
			switch id {
			case 6:
				return fmt.Errorf("delete: %w", notifier.ErrNotFound)
			case 7:
				return fmt.Errorf("delete: %w", notifier.ErrConflict)
			}
			deleted = append(deleted, id)
			return nil
		}
	})
	w.post("alice", "/staff/notices/5/delete").wantStatus(t, http.StatusNotFound)
	w.post("", "/staff/notices/5/delete").wantStatus(t, http.StatusSeeOther)
	w.get("carol", "/staff/notices/5/delete").wantStatus(t, http.StatusMethodNotAllowed)
	w.post("carol", "/staff/notices/5/delete", "page_user", "dora").wantStatus(t, http.StatusConflict)
	w.post("carol", "/staff/notices/5/delete", "extra", "1").wantStatus(t, http.StatusUnprocessableEntity)
	w.post("carol", "/staff/notices/6/delete").wantStatus(t, http.StatusNotFound)
	r := w.post("carol", "/staff/notices/7/delete").wantStatus(t, http.StatusConflict)
	r.wantText(t, "[data-testid=failure] h1", "Still open")
	if !strings.Contains(r.text("[data-testid=failure]"), "Retract it first") || r.attr("[data-testid=failure] a", "href") != "/staff/notices/7" {
		t.Errorf("deleting an open announcement answers %q", r.text("[data-testid=failure]"))
	}
	w.post("carol", "/staff/notices/05/delete").wantStatus(t, http.StatusNotFound)
	if len(deleted) > 0 || len(w.audit.entries) > 0 {
		t.Fatalf("deleted %v, audit log %v", deleted, w.audit.entries)
	}
	w.post("carol", "/staff/notices/5/delete", "page_user", "carol").wantRedirect(t, "/staff/notices?done=removed")
	if len(deleted) != 1 || len(w.audit.entries) != 1 || w.audit.entries[0].Action != "notice.delete" || w.audit.entries[0].Object != notifier.NoticeRef(5) {
		t.Errorf("deleted %v, audit log %v", deleted, w.audit.entries)
	}
}

func TestAnnouncementThatIsOverCannotBeRetracted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sender.retract = func(int64) error { return fmt.Errorf("retract: %w", notifier.ErrConflict) }
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			if id == 5 {
				return seenBy(announced(5, -week, -hour)), nil
			}
			return notifier.Progress{Notice: notice(id, notifier.StateRetracting)}, nil
		}
	})
	for _, r := range []reply{w.post("carol", "/staff/notices/5/retract"), w.get("carol", "/staff/notices/5/edit")} {
		r.wantStatus(t, http.StatusConflict).wantText(t, "[data-testid=failure] h1", "This announcement has ended")
		if got := r.attr("[data-testid=failure] a", "href"); got != "/staff/notices/5" {
			t.Errorf("the error page links back to %q", got)
		}
	}
	w.get("carol", "/staff/notices/5?done=retracting").wantText(t, "[data-testid=done]", "The announcement has been retracted.")
	w.post("carol", "/staff/notices/6/retract").wantRedirect(t, "/staff/notices/6?done=retracting")
}
