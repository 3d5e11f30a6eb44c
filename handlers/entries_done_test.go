package handlers_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// bulkWorld records what alice does to several entries. Entry 3 is already read.
func bulkWorld(t *testing.T, did *[]string) *world {
	t.Helper()
	w := archiveWorld(t, did)
	w.inbox.take = func(_ int64, key string) (notifier.Entry, error) {
		*did = append(*did, "delete "+key)
		e := entry(int(key[len(key)-1]-'0'), noon.Add(-time.Hour), true, false)
		return e, nil
	}
	w.inbox.restore = func(_ int64, key string) error {
		*did = append(*did, "restore "+key)
		return nil
	}
	return w
}

// bulkSteps maps changes of entries 5 and 4 to how they are undone.
var bulkSteps = map[string]struct{ text, undo, back string }{
	"/inbox/archive": {"2 archived.", "/inbox/unarchive", "unarchive like:photo:5 like:photo:4"},
	"/inbox/delete":  {"2 deleted.", "/inbox/restore", "restore like:photo:5, restore like:photo:4"},
	"/inbox/read":    {"2 marked as read.", "/inbox/unread", "unread again like:photo:5 like:photo:4"},
	"/inbox/unread":  {"2 marked as unread.", "/inbox/read", "read like:photo:5 like:photo:4"},
}

func TestChangeOfSeveralEntriesIsUndoneByItsFormOnAnyInstance(t *testing.T) {
	t.Parallel()
	for action, want := range bulkSteps {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			var did, undone []string
			w, other := bulkWorld(t, &did), bulkWorld(t, &undone)
			body := url.Values{"key": {"like:photo:5", "like:photo:4"}, "back": {"/inbox?filter=unread"}}
			plain := w.post("alice", action, "key", "like:photo:5", "key", "like:photo:4", "back", "/inbox?filter=unread").wantStatus(t, http.StatusSeeOther)
			page := other.get("alice", plain.Header.Get("Location"))
			part := w.script("alice", action, "inbox", body.Encode()).wantStatus(t, http.StatusOK)
			if part.attr("#done form", "hx-target") != "#inbox" || page.attr("#done form", "hx-target") != "" {
				t.Error("Undo of a script does not replace the list")
			}
			for _, r := range []reply{page, part} {
				r.wantText(t, "#done p", want.text)
				var fields []string
				for _, input := range r.page.Find("#done form[action='" + want.undo + "'] input").EachIter() {
					fields = append(fields, input.AttrOr("name", ""), input.AttrOr("value", ""))
				}
				undone = nil
				other.post("alice", want.undo, fields...).wantRedirect(t, "/inbox?done=restored&filter=unread")
				if diff := cmp.Diff(want.back, strings.Join(undone, ", ")); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

// TestUndoOfLongKeysIsInThePageItself: they do not fit into an address.
func TestUndoOfLongKeysIsInThePageItself(t *testing.T) {
	t.Parallel()
	var did []string
	w := bulkWorld(t, &did)
	var fields []string
	for range 40 {
		fields = append(fields, "key", "like:"+strings.Repeat("photo", 40)+":5")
	}
	r := w.post("alice", "/inbox/read", fields...).wantStatus(t, http.StatusOK)
	r.wantText(t, "#done p", "40 marked as read.")
	if got := strings.Count(r.attr("#done [name=keys]", "value"), "\n"); got != 39 {
		t.Errorf("Undo names %d keys", got+1)
	}
}

// TestSingleSelectedEntryIsAnsweredWithTheList: the script replaces the list, not the row.
func TestSingleSelectedEntryIsAnsweredWithTheList(t *testing.T) {
	t.Parallel()
	for action, want := range bulkSteps {
		var did []string
		w := bulkWorld(t, &did)
		r := w.script("alice", action, "inbox", "key=like%3Aphoto%3A5&back=%2Finbox%3Ffilter%3Dunread").wantStatus(t, http.StatusOK)
		if r.count("#inbox") != 1 || r.attr("#done form", "action") != want.undo || r.attr("#done form", "hx-target") != "#inbox" {
			t.Errorf("%s: %s", action, r.body)
		}
	}
}
