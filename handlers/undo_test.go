package handlers_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// undoWorld deletes and restores entry 5 of alice, and records what was restored.
func undoWorld(t *testing.T, back *[]notifier.Entry) *world {
	t.Helper()
	return newWorld(t, func(w *world) {
		w.inbox.take = func(_ int64, key string) (notifier.Entry, error) {
			if e := entry(5, noon.Add(-time.Hour), true, false); e.Key == key {
				return e, nil
			}
			return notifier.Entry{}, notifier.ErrNotFound
		}
		w.inbox.look = func(_ int64, q notifier.Query) (notifier.Page, error) {
			return notifier.Page{Opened: q.Opened}, nil
		}
		w.inbox.restore = func(seq int64, e notifier.Entry) error {
			if seq != alice.Seq {
				t.Errorf("restored for user %d", seq)
			}
			*back = append(*back, e)
			return nil
		}
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			e := entry(int(id), noon.Add(-time.Hour), true, false)
			return sentAs(&e), nil
		}
	})
}

// sentAs is the notice of an entry `like:photo:N`.
func sentAs(e *notifier.Entry) notifier.Progress {
	return notifier.Progress{Notice: notifier.Notice{
		Draft: notifier.Draft{
			Type: "like", Subject: "photo:" + strconv.FormatInt(e.NoticeID, 10), Title: e.Title, Body: e.Body, Link: e.Link,
			Target: notifier.Target{Role: "picker"},
		},
		ID: e.NoticeID, State: notifier.StateSent, CreatedAt: e.CreatedAt,
	}}
}

func TestDeletedEntryCanBeRestored(t *testing.T) {
	t.Parallel()
	var back []notifier.Entry
	w := undoWorld(t, &back)
	r := w.post("alice", "/inbox/delete", "key", "like:photo:5", "back", "/inbox?opened=3").wantStatus(t, http.StatusSeeOther)
	page := w.get("alice", r.Header.Get("Location"))
	page.wantText(t, "[data-testid=done] p", "Deleted.")
	var fields []string
	for _, input := range page.page.Find("[data-testid=done] form[action='/inbox/restore'] input").EachIter() {
		fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
	}
	w.post("alice", "/inbox/restore", fields...).wantRedirect(t, "/inbox?done=restored&opened=3")
	// Another instance, or this one after a restart, needs only the form.
	other := undoWorld(t, &back)
	other.post("alice", "/inbox/restore", fields...).wantRedirect(t, "/inbox?done=restored&opened=3")
	want := entry(5, noon.Add(-time.Hour), true, false)
	want.Read = false // the inbox knows its state
	if diff := cmp.Diff([]notifier.Entry{want, want}, back); diff != "" {
		t.Error(diff)
	}
}

func TestNothingElseCanBeRestored(t *testing.T) {
	t.Parallel()
	var back []notifier.Entry
	w := undoWorld(t, &back)
	w.post("alice", "/inbox/delete", "key", "like:photo:5")
	at := strconv.FormatInt(noon.UnixMilli(), 10)
	for _, fields := range [][]string{
		{"key", "like:photo:6"},
		{"key", "like:photo:6", "id", "5", "at", at},
		{"key", "like:photo:6", "id", "6"},
		{"key", "like:photo:6", "id", "6", "at", "9000000000000000000"},
		{"key", "like:photo:5"},
	} {
		w.post("alice", "/inbox/restore", fields...).wantStatus(t, http.StatusNotFound)
	}
	w.post("carol", "/inbox/restore", "key", "like:photo:5").wantStatus(t, http.StatusNotFound)
	if len(back) != 0 {
		t.Errorf("restored %v", back)
	}
}

func TestNoticeNewerThanTheRowIsNotDeleted(t *testing.T) {
	t.Parallel()
	now := entry(5, noon, false, false)
	var taken []string
	w := newWorld(t, func(w *world) {
		w.inbox.find = func(seq int64, key string, _ int64) (notifier.Entry, error) {
			if seq != alice.Seq || key != now.Key {
				return notifier.Entry{}, notifier.ErrNotFound
			}
			return now, nil
		}
		w.inbox.take = func(_ int64, key string) (notifier.Entry, error) {
			taken = append(taken, key)
			return now, nil
		}
	})
	before, same := strconv.FormatInt(now.At-1, 10), strconv.FormatInt(now.At, 10)
	for _, at := range []string{before, "0", "tampered"} {
		w.post("alice", "/inbox/delete", "key", now.Key, "at", at).wantStatus(t, http.StatusConflict)
		w.script("alice", "/inbox/delete", "e1", "key="+now.Key+"&at="+at).wantStatus(t, http.StatusConflict)
	}
	w.post("alice", "/inbox/delete", "key", "a:b", "at", same).wantStatus(t, http.StatusNotFound)
	if len(taken) != 0 {
		t.Fatalf("deleted %v", taken)
	}
	for _, fields := range [][]string{{"at", same}, {"at", ""}, nil} {
		w.post("alice", "/inbox/delete", append([]string{"key", now.Key}, fields...)...).wantStatus(t, http.StatusSeeOther)
	}
	if len(taken) != 3 {
		t.Errorf("deleted %v", taken)
	}
}

func TestNoticeEditedMeanwhileIsRestoredWithItsNewText(t *testing.T) {
	t.Parallel()
	var back []notifier.Entry
	w := undoWorld(t, &back)
	was := w.sender.progress
	at := strconv.FormatInt(noon.Add(-time.Hour).UnixMilli(), 10)
	w.sender.progress = func(id int64) (notifier.Progress, error) {
		p, err := was(id)
		p.Title, p.Revision = "Edited", 1
		p.Target = notifier.Target{Topic: notifier.Topic{Type: "like"}}
		p.Reasons = []notifier.Why{{Reason: "role:night"}}
		return p, err
	}
	w.post("alice", "/inbox/restore", "key", "like:photo:5", "id", "5", "at", at).wantRedirect(t, "/inbox?done=restored")
	if len(back) != 1 || back[0].Title != "Edited" || back[0].Revision != 1 || back[0].Reason != "role:night" {
		t.Errorf("restored %+v", back)
	}
	w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{}, notifier.ErrUnavailable }
	w.post("alice", "/inbox/restore", "key", "like:photo:5", "id", "5", "at", at).wantStatus(t, http.StatusServiceUnavailable)
	if len(back) != 1 {
		t.Error("the entry was restored although the notice could not be read")
	}
}
