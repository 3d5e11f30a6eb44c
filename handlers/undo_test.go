package handlers_test

import (
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// undoWorld deletes and restores alice's entry 5, and records what was restored.
func undoWorld(t *testing.T, back *[]string) *world {
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
		w.inbox.restore = func(seq int64, key string) error {
			if seq != alice.Seq || key != "like:photo:5" {
				return notifier.ErrNotFound
			}
			*back = append(*back, key)
			return nil
		}
	})
}

func TestDeletedEntryCanBeRestored(t *testing.T) {
	t.Parallel()
	var back []string
	w := undoWorld(t, &back)
	r := w.post("alice", "/inbox/delete", "key", "like:photo:5", "back", "/inbox?opened=3").wantStatus(t, http.StatusSeeOther)
	page := w.get("alice", r.Header.Get("Location"))
	page.wantText(t, "[data-testid=done] p", "Deleted.")
	var fields []string
	for _, input := range page.page.Find("[data-testid=done] form[action='/inbox/restore'] input").EachIter() {
		fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
	}
	w.post("alice", "/inbox/restore", fields...).wantRedirect(t, "/inbox?done=restored&opened=3")
	if !slices.Equal(back, []string{"like:photo:5"}) {
		t.Errorf("restored %v", back)
	}
}

func TestNothingElseCanBeRestored(t *testing.T) {
	t.Parallel()
	var back []string
	w := undoWorld(t, &back)
	w.post("alice", "/inbox/delete", "key", "like:photo:5")
	w.post("alice", "/inbox/restore", "key", "like:photo:6").wantStatus(t, http.StatusNotFound)
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
