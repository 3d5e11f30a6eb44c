package handlers_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// undoWorld deletes and restores entry 5 of alice, and notes what came back.
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
				t.Errorf("restored to %d", seq)
			}
			*back = append(*back, e)
			return nil
		}
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			e := entry(int(id), noon.Add(-time.Hour), true, false)
			return notifier.Progress{Notice: notifier.Notice{
				Draft: notifier.Draft{
					Type: "like", Subject: "photo:" + strconv.FormatInt(id, 10), Title: e.Title, Body: e.Body, Link: e.Link,
					Target: notifier.Target{Role: "picker"},
				},
				ID: id, State: notifier.StateSent, CreatedAt: e.CreatedAt,
			}}, nil
		}
	})
}

func TestADeletedEntryCanBeBroughtBack(t *testing.T) {
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
	// Another instance knows nothing of the deletion but what the form says.
	other := undoWorld(t, &back)
	other.post("alice", "/inbox/restore", fields...).wantRedirect(t, "/inbox?done=restored&opened=3")
	// The key alone will do where the entry was deleted.
	w.post("alice", "/inbox/restore", "key", "like:photo:5").wantRedirect(t, "/inbox?done=restored")
	want := entry(5, noon.Add(-time.Hour), true, false)
	if diff := cmp.Diff([]notifier.Entry{want, want, want}, back); diff != "" {
		t.Error(diff)
	}
}

func TestNothingElseCanBeBroughtBack(t *testing.T) {
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
	} {
		w.post("alice", "/inbox/restore", fields...).wantStatus(t, http.StatusNotFound)
	}
	w.post("carol", "/inbox/restore", "key", "like:photo:5").wantStatus(t, http.StatusNotFound)
	if len(back) != 0 {
		t.Errorf("brought back %v", back)
	}
}

func TestADeletionIsForgottenAfterAWhile(t *testing.T) {
	t.Parallel()
	var back []notifier.Entry
	w := undoWorld(t, &back)
	now := noon
	w.config.Now = func() time.Time { return now }
	w.rebuild()
	w.post("alice", "/inbox/delete", "key", "like:photo:5")
	now = now.Add(11 * time.Minute)
	w.post("alice", "/inbox/restore", "key", "like:photo:5").wantStatus(t, http.StatusNotFound)
}

func TestWhatIsNewerThanTheRowIsNotDeleted(t *testing.T) {
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

func TestWhatWasEditedMeanwhileComesBackAsItIsNow(t *testing.T) {
	t.Parallel()
	var back []notifier.Entry
	w := undoWorld(t, &back)
	was := w.sender.progress
	w.post("alice", "/inbox/delete", "key", "like:photo:5").wantStatus(t, http.StatusSeeOther)
	w.sender.progress = func(id int64) (notifier.Progress, error) {
		p, err := was(id)
		p.Title, p.Revision = "Edited", 1
		return p, err
	}
	w.post("alice", "/inbox/restore", "key", "like:photo:5").wantRedirect(t, "/inbox?done=restored")
	// Another instance asks for it anyway, and why this user got it.
	other := undoWorld(t, &back)
	at := strconv.FormatInt(noon.Add(-time.Hour).UnixMilli(), 10)
	other.sender.progress = func(id int64) (notifier.Progress, error) {
		p, err := was(id)
		p.Target = notifier.Target{Topic: notifier.Topic{Type: "like"}}
		p.Reasons = []notifier.Why{{Reason: "role:night"}}
		return p, err
	}
	other.post("alice", "/inbox/restore", "key", "like:photo:5", "id", "5", "at", at).wantRedirect(t, "/inbox?done=restored")
	if len(back) != 2 || back[0].Title != "Edited" || back[0].Revision != 1 || back[1].Reason != "role:night" {
		t.Errorf("what came back is %+v", back)
	}
	w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{}, notifier.ErrUnavailable }
	w.post("alice", "/inbox/restore", "key", "like:photo:5").wantStatus(t, http.StatusServiceUnavailable)
	if len(back) != 2 {
		t.Error("it came back as it was, although nobody knows whether it is still so")
	}
}
