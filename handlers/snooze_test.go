package handlers_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// snoozeWorld is archiveWorld with what the snoozed page shows.
func snoozeWorld(t *testing.T, did *[]string) *world {
	t.Helper()
	w := archiveWorld(t, did)
	e := entry(5, noon.Add(-time.Hour), true, false)
	e.Until = noon.Add(time.Hour)
	w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
		if q.Archived {
			return notifier.Page{}, nil
		}
		return notifier.Page{Opened: q.Opened, Entries: []notifier.Entry{e}}, nil
	}
	return w
}

func TestAnEntryIsSnoozedWithoutScript(t *testing.T) {
	t.Parallel()
	var did []string
	w := snoozeWorld(t, &did)
	rfc := noon.Add(48 * time.Hour).Format(time.RFC3339)
	for _, fields := range [][]string{{"for", "3h"}, {"for", "1h"}, {"for", "tomorrow"}, {"for", "monday"}, {"until", rfc}, {"for", "until", "until", rfc}} {
		r := w.post("alice", "/inbox/snooze", append([]string{"key", "like:photo:5", "back", "/inbox?filter=unread"}, fields...)...).wantStatus(t, http.StatusSeeOther)
		page := w.get("alice", r.Header.Get("Location"))
		page.wantText(t, "[data-testid=done] p", "Put away for later.")
		if page.count("[data-testid=done] form[action='/inbox/restore'] [name=key][value='like:photo:5']") != 1 {
			t.Errorf("Undo: %s", page.body)
		}
	}
	w.post("alice", "/inbox/wake", "key", "like:photo:5", "back", "/inbox?filter=later").wantRedirect(t, "/inbox?done=woken&filter=later")
	want := []string{}
	for _, until := range []time.Time{noon.Add(3 * time.Hour), noon.Add(time.Hour), preset(t, "tomorrow"), preset(t, "monday"), noon.Add(48 * time.Hour), noon.Add(48 * time.Hour)} {
		want = append(want, "snooze until "+until.Format(time.RFC3339)+" like:photo:5")
	}
	if diff := cmp.Diff(append(want, "wake like:photo:5"), did); diff != "" {
		t.Error(diff)
	}
	w.post("carol", "/inbox/snooze", "key", "like:photo:5", "for", "3h").wantStatus(t, http.StatusNotFound)
	w.post("carol", "/inbox/wake", "key", "like:photo:5").wantStatus(t, http.StatusNotFound)
}

func TestTheTabLaterIsThereWhileSomethingIsSnoozed(t *testing.T) {
	t.Parallel()
	var did []string
	w := snoozeWorld(t, &did)
	for _, shown := range []struct {
		address string
		snoozed int64
		hidden  bool
		text    string
	}{
		{"/inbox?filter=unread", 0, true, "Later"},
		{"/inbox?filter=unread", 2, false, "Later 2"},
		{"/inbox?filter=later", 0, false, "Later"}, // readers see where they are
	} {
		w.inbox.snoozed = shown.snoozed
		page := w.get("alice", shown.address)
		page.wantText(t, "#later-tab", shown.text)
		if got := page.count("#later-tab[hidden]") == 1; got != shown.hidden {
			t.Errorf("%s with %d snoozed entries: the tab is hidden: %v", shown.address, shown.snoozed, got)
		}
		if page.count("#later-tab[hx-swap-oob]") != 0 {
			t.Error("the tab of a whole page would be moved out of it")
		}
	}
}

func preset(t *testing.T, name string) time.Time {
	t.Helper()
	at, ok := notifier.PresetEnd(name, noon)
	if !ok {
		t.Fatal(name)
	}
	return at
}

func TestSnoozingRefusesTimesThatItCannotKeep(t *testing.T) {
	t.Parallel()
	var did []string
	w := snoozeWorld(t, &did)
	for _, fields := range [][]string{
		nil,
		{"for", ""},
		{"for", "tuesday"},
		{"for", "until"},
		{"until", "soon"},
		{"until", noon.Format(time.RFC3339)},
		{"until", noon.Add(-time.Hour).Format(time.RFC3339)},
		{"until", noon.Add(90*24*time.Hour + time.Second).Format(time.RFC3339)},
		{"until", "2020-01-01T09:00"},
	} {
		r := w.post("alice", "/inbox/snooze", append([]string{"key", "like:photo:5", "back", "/inbox?filter=unread"}, fields...)...).wantStatus(t, http.StatusUnprocessableEntity)
		if r.count(".later:not([popover]) form[action='/inbox/snooze'] [name=for]") != 4 || r.attr(".later [name=key]", "value") != "like:photo:5" || r.attr(".later [name=back]", "value") != "/inbox?filter=unread" {
			t.Errorf("%v: the page does not ask for a time:\n%s", fields, r.body)
		}
		if asked := len(fields) == 0; asked != (r.count(".later .fault") == 0) {
			t.Errorf("%v: a fault, or none, is shown", fields)
		}
	}
	w.post("alice", "/inbox/snooze", "for", "3h").wantStatus(t, http.StatusUnprocessableEntity)
	w.post("alice", "/inbox/wake").wantStatus(t, http.StatusUnprocessableEntity)
	if len(did) > 0 {
		t.Errorf("done all the same: %v", did)
	}
}

func TestTheTabLaterListsSnoozedEntries(t *testing.T) {
	t.Parallel()
	var did []string
	w := snoozeWorld(t, &did)
	r := w.get("alice", "/inbox?filter=later").wantStatus(t, http.StatusOK)
	r.wantText(t, ".tabs [aria-current=page]", "Later")
	if r.count("[data-testid=entry] form[action='/inbox/wake']") != 1 || r.count(".actions form") != 2 || r.count(".until") != 1 || r.count("#mark-all") != 0 {
		t.Errorf("the page:\n%s", r.body)
	}
	at := r.attr("[data-testid=entry] form[action='/inbox/wake'] [name=at]", "value")
	part := w.script("alice", "/inbox/wake", "e"+at, "key=like%3Aphoto%3A5&at="+at+"&back=%2Finbox%3Ffilter%3Dlater").wantStatus(t, http.StatusOK)
	if part.count("li[hidden]") != 1 {
		t.Errorf("the row stays:\n%s", part.body)
	}
	r = w.get("alice", "/inbox?filter=unread").wantStatus(t, http.StatusOK)
	if r.count(".tab[href='/inbox?filter=later']") != 1 || r.count("[data-testid=entry] [formaction='/inbox/snooze']") != 1 || r.count("#later[popover]") != 1 {
		t.Errorf("the page:\n%s", r.body)
	}
	for _, fields := range []string{"", "&for=tuesday", "&for=until", "&until=soon"} {
		part = w.script("alice", "/inbox/snooze", "e"+at, "key=like%3Aphoto%3A5&at="+at+"&back=%2Finbox%3Fopened%3D0"+fields).wantStatus(t, http.StatusOK)
		if part.count("body > form[hx-target='#e"+at+"'][hx-boost] [name=for]") != 4 || part.Header.Get("HX-Retarget") != "#later" || part.count(".fault") != min(len(fields), 1) {
			t.Errorf("the menu after %q:\n%s", fields, part.body)
		}
	}
	part = w.script("alice", "/inbox/snooze", "e"+at, "key=like%3Aphoto%3A5&for=3h&at="+at+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	if part.count("li[hidden]") != 1 || part.attr("#done[hx-swap-oob=true] form", "action") != "/inbox/restore" || part.attr("#done form", "hx-target") != "#e"+at {
		t.Errorf("snoozed %s:\n%s", strconv.Quote(at), part.body)
	}
}
