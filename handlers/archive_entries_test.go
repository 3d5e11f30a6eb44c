package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// archiveWorld records which entries alice archives and moves back. Entry 5 is unread.
func archiveWorld(t *testing.T, did *[]string) *world {
	t.Helper()
	e := entry(5, noon.Add(-time.Hour), false, false)
	return newWorld(t, func(w *world) {
		w.inbox.move = func(verb string, seq int64, keys []string) (notifier.Moved, error) {
			if seq != alice.Seq {
				return notifier.Moved{}, notifier.ErrNotFound
			}
			*did = append(*did, verb+" "+strings.Join(keys, " "))
			return notifier.Moved{Keys: keys, Unread: keys[:1]}, nil
		}
		w.inbox.change = func(verb string, _ int64, key string) (notifier.Badge, error) {
			*did = append(*did, verb+" "+key)
			return notifier.Badge{}, nil
		}
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			if q.Archived {
				return notifier.Page{Entries: []notifier.Entry{e}}, nil
			}
			return notifier.Page{Opened: q.Opened}, nil
		}
		w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return e, nil }
	})
}

func TestArchivedEntryCanBeMovedBackWithoutScript(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	r := w.post("alice", "/inbox/archive", "key", "like:photo:5", "back", "/inbox?filter=unread").wantStatus(t, http.StatusSeeOther)
	page := w.get("alice", r.Header.Get("Location"))
	page.wantText(t, "[data-testid=done] p", "Archived.")
	var fields []string
	for _, input := range page.page.Find("[data-testid=done] form[action='/inbox/unarchive'] input").EachIter() {
		fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
	}
	w.post("alice", "/inbox/unarchive", fields...).wantRedirect(t, "/inbox?done=restored&filter=unread")
	want := []string{"archive like:photo:5", "unarchive like:photo:5"}
	if diff := cmp.Diff(want, did); diff != "" {
		t.Error(diff)
	}
	w.post("carol", "/inbox/archive", "key", "like:photo:5").wantStatus(t, http.StatusNotFound)
}

func TestArchivedRowKeepsAPlaceForUndo(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	at := strconv.FormatInt(entry(5, noon.Add(-time.Hour), false, false).At, 10)
	r := w.script("alice", "/inbox/archive", "e"+at, "key=like%3Aphoto%3A5&at="+at+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	if got := r.attr("li[hidden]", "id"); got != "e"+at {
		t.Errorf("the hidden row is %q", got)
	}
	undo := r.page.Find("#done[hx-swap-oob=true] form")
	if undo.AttrOr("hx-target", "") != "#e"+at || undo.AttrOr("action", "") != "/inbox/unarchive" {
		t.Errorf("Undo: %s", r.body)
	}
	r = w.script("alice", "/inbox/unarchive", "e"+at, "key=like%3Aphoto%3A5&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=entry]") != 1 {
		t.Errorf("the row is not back:\n%s", r.body)
	}
}

func TestArchivePageOffersToMoveEntriesBack(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	r := w.get("alice", "/inbox?filter=archived").wantStatus(t, http.StatusOK)
	r.wantText(t, ".tabs [aria-current=page]", "Archived")
	if r.count("[data-testid=entry]") != 1 || r.count(".actions form") != 2 || r.count("#mark-all") != 0 || r.count("#arrivals") != 0 {
		t.Errorf("the page:\n%s", r.body)
	}
	row := r.page.Find("[data-testid=entry] form[action='/inbox/unarchive']")
	if got := row.Find("button").AttrOr("aria-label", ""); got != "Move to inbox: Photo 5 <liked>" {
		t.Errorf("the action is named %q", got)
	}
	at := row.Find("[name=at]").AttrOr("value", "")
	r = w.script("alice", "/inbox/unarchive", "e"+at, "key=like%3Aphoto%3A5&at="+at+"&back=%2Finbox%3Ffilter%3Darchived").wantStatus(t, http.StatusOK)
	if r.count("li[hidden]") != 1 {
		t.Errorf("the row stays in the archive:\n%s", r.body)
	}
	undo := r.page.Find("#done[hx-swap-oob=true] form[action='/inbox/archive']")
	if undo.AttrOr("hx-target", "") != "#e"+at {
		t.Errorf("Undo: %s", r.body)
	}
	r = w.script("alice", "/inbox/archive", "e"+at, "key=like%3Aphoto%3A5&at="+at+"&back=%2Finbox%3Ffilter%3Darchived").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=entry] form[action='/inbox/unarchive']") != 1 || r.count("#done form") != 0 {
		t.Errorf("after Undo:\n%s", r.body)
	}
	w.post("alice", "/inbox/unarchive", "key", "like:photo:5", "at", at, "back", "/inbox?filter=archived").
		wantRedirect(t, "/inbox?done=unarchived&filter=archived&key=like%3Aphoto%3A5")
	r = w.get("alice", "/inbox?done=unarchived&filter=archived&key=a&key=b")
	r.wantText(t, "#done p", "2 moved to the inbox.")
	w.post("alice", r.attr("#done form", "action"), "key", "a", "key", "b", "back", r.attr("#done form [name=back]", "value")).
		wantRedirect(t, "/inbox?done=restored&filter=archived")
}

func TestArchivedEntriesAreDeletedAndComeBackToTheArchive(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	e := entry(5, noon.Add(-time.Hour), true, false)
	w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return notifier.Entry{}, notifier.ErrNotFound }
	w.inbox.take = func(_ int64, key string) (notifier.Entry, error) {
		did = append(did, "delete "+key)
		return e, nil
	}
	w.inbox.restore = func(_ int64, key string) error {
		did = append(did, "restore "+key)
		return nil
	}
	at := strconv.FormatInt(e.At, 10)
	form := "key=like%3Aphoto%3A5&at=" + at + "&back=%2Finbox%3Ffilter%3Darchived"
	r := w.script("alice", "/inbox/delete", "e"+at, form).wantStatus(t, http.StatusOK)
	undo := r.page.Find("#done[hx-swap-oob=true] form[action='/inbox/restore']")
	if r.attr("li[hidden]", "id") != "e"+at || undo.AttrOr("hx-target", "") != "#e"+at {
		t.Errorf("Undo: %s", r.body)
	}
	r = w.script("alice", "/inbox/restore", "e"+at, form).wantStatus(t, http.StatusOK)
	if r.count("[data-testid=entry] form[action='/inbox/unarchive']") != 1 {
		t.Errorf("after Undo:\n%s", r.body)
	}
	w.post("alice", "/inbox/delete", "key", "like:photo:5", "at", at, "back", "/inbox?filter=archived").
		wantRedirect(t, "/inbox?done=deleted&filter=archived&key=like%3Aphoto%3A5")
	if diff := cmp.Diff([]string{"delete like:photo:5", "restore like:photo:5", "delete like:photo:5"}, did); diff != "" {
		t.Error(diff)
	}
}

func TestUpToTwoHundredEntriesAreArchivedAtOnce(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	var fields []string
	for i := range 200 {
		fields = append(fields, "key", "like:photo:"+strconv.Itoa(i))
	}
	w.post("alice", "/inbox/archive", fields...).wantStatus(t, http.StatusSeeOther)
	if len(did) != 1 || len(strings.Fields(did[0])) != 201 {
		t.Errorf("archived %v", did)
	}
	w.post("alice", "/inbox/archive", append(fields, "key", "like:photo:200")...).wantStatus(t, http.StatusUnprocessableEntity)
	w.post("alice", "/inbox/archive", "back", "/inbox").wantStatus(t, http.StatusUnprocessableEntity)
	if len(did) != 1 {
		t.Errorf("did %d things", len(did))
	}
}

// TestLinkToAnArchivedNoticeStillLeadsThere covers mails and toasts, which link to /n/ID.
func TestLinkToAnArchivedNoticeStillLeadsThere(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	w.inbox.find = func(int64, string, int64) (notifier.Entry, error) { return notifier.Entry{}, notifier.ErrNotFound }
	w.sender.progress = func(id int64) (notifier.Progress, error) {
		e := entry(int(id), noon, false, false)
		return sentAs(&e), nil
	}
	w.get("alice", "/n/5").wantStatus(t, http.StatusSeeOther)
	w.get("alice", "/n/6").wantStatus(t, http.StatusNotFound)
}

// TestListOfKeysIsRefusedWhileItIsRead checks that the rest of the form is not read.
func TestListOfKeysIsRefusedWhileItIsRead(t *testing.T) {
	t.Parallel()
	var did []string
	w := archiveWorld(t, &did)
	body := strings.NewReader(strings.Repeat("key=a&", 10_000))
	r := httptest.NewRequest(http.MethodPost, "/inbox/archive", body)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	w.do(r, "alice").wantStatus(t, http.StatusUnprocessableEntity)
	if body.Len() < 50_000 || len(did) > 0 {
		t.Errorf("%d bytes are left; did %v", body.Len(), did)
	}
}
