package handlers_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestEditFormMarksAsUnreadForEverybodyOnlyWhenTicked(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	r := w.get("carol", "/staff/notices/5/edit")
	if r.count("[data-testid=edit-form] input[name=unread][type=checkbox]:not([checked])") != 1 {
		t.Error("the form of an announcement lacks the box, or has it ticked")
	}
	r.wantText(t, "label:has(#unread)", "Mark as unread for everyone")
	if r = w.get("carol", "/staff/notices/9/edit"); r.count("[name=unread]") != 0 {
		t.Error("the form of a notice to inboxes has the box")
	}
	w.postAs(inTokyo, "/staff/notices/5/edit", editForm...).wantRedirect(t, "/staff/notices/5?done=edited")
	w.postAs(inTokyo, "/staff/notices/5/edit", append(editForm, "unread", "0")...).wantRedirect(t, "/staff/notices/5?done=edited")
	if len(w.sender.unread) != 0 {
		t.Fatal("marked as unread although the box was not ticked")
	}
	w.postAs(inTokyo, "/staff/notices/5/edit", append(editForm, "unread", "1")...).wantRedirect(t, "/staff/notices/5?done=edited-unread")
	if !slices.Equal(w.sender.unread, []int64{5}) || len(asked) != 3 {
		t.Errorf("marked as unread: %v, edited %d times", w.sender.unread, len(asked))
	}
	w.get("carol", "/staff/notices/5?done=edited-unread").
		wantText(t, "[data-testid=done]", "The announcement has been saved, and is unread for everyone.")
	var details []string
	for _, e := range w.audit.entries {
		details = append(details, e.Action+" "+e.Detail)
	}
	if want := []string{"notice.edit ", "notice.edit ", "notice.edit unread for everybody"}; !slices.Equal(details, want) {
		t.Errorf("audit log %q, want %q", details, want)
	}
}

func TestRefusedEditMarksNothingAndKeepsTheBox(t *testing.T) {
	t.Parallel()
	var asked []edited
	w := editWorld(t, &asked)
	ticked := append(slices.Clone(editForm), "unread", "on")
	for name, again := range map[string]struct {
		fields []string
		status int
	}{
		"fault":    {with(ticked, "title", ""), http.StatusUnprocessableEntity},
		"preview":  {append(slices.Clone(ticked), "preview", "1"), http.StatusOK},
		"conflict": {with(ticked, "revision", "6"), http.StatusConflict},
	} {
		r := w.postAs(inTokyo, "/staff/notices/5/edit", again.fields...).wantStatus(t, again.status)
		if r.count("[name=unread][checked]") != 1 {
			t.Errorf("%s: the box is not ticked any more", name)
		}
	}
	w.postAs(inTokyo, "/staff/notices/5/edit", append(slices.Clone(editForm), "unread", "2")...).wantStatus(t, http.StatusUnprocessableEntity)
	// The announcement is over.
	r := w.postAs(inTokyo, "/staff/notices/8/edit", ticked...).wantStatus(t, http.StatusConflict)
	if r.text("[data-testid=conflict] p") == "" || slices.Contains(w.sender.unread, 8) {
		t.Error("one that is over is marked as unread")
	}
	for _, e := range w.audit.entries {
		t.Errorf("audit log: %+v", e)
	}
}

// editedAnnouncement returns a post that was edited 40 minutes ago.
func editedAnnouncement(id int64, pinned bool) notifier.OpenAnnouncement {
	p := post(id, 1, pinned, false)
	p.EditedAt = noon.Add(-40 * time.Minute)
	return p
}

func TestEditedAnnouncementsSaySoWithTheTime(t *testing.T) {
	t.Parallel()
	for lang, want := range map[string][2]string{
		"en": {"Edited 11:20", "Edited 20 November 2026, 11:20 UTC"}, "ja": {"11:20に編集", "2026年11月20日 11:20 UTCに編集"},
		"zh-CN": {"编辑于 11:20", "编辑于 2026年11月20日 11:20 UTC"},
	} {
		b := newAnnouncements(t, editedAnnouncement(5, true), post(6, 2, false, false))
		for address, selector := range map[string]string{
			"/announcements": "#a5 .meta", "/inbox": "#pinned:not([hidden])", "/settings": "#pinned:not([hidden])",
		} {
			r := b.get("alice", address, "Accept-Language", lang)
			r.wantText(t, selector+" [data-testid=edited]", want[0])
			if r.attr(selector+" [data-testid=edited] time", "datetime") != "2026-11-20T11:20:00Z" || r.count("[data-testid=edited]") != 1 {
				t.Errorf("%s: the time of the edit, or a mark that is not due:\n%s", address, r.body)
			}
		}
		b.get("alice", "/announcements/5", "Accept-Language", lang).wantText(t, "#announcement .meta [data-testid=edited]", want[1])
		if b.get("alice", "/announcements/6", "Accept-Language", lang).count("#announcement [data-testid=edited]") != 0 {
			t.Error("one that was never edited is marked")
		}
	}
}

// The edit happens between finding the announcement and marking it read.
func TestOpeningDuringTheEditShowsTheNewText(t *testing.T) {
	t.Parallel()
	for name, unread := range map[string]bool{"before it was marked": false, "after that": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newAnnouncements(t, post(5, 1, false, false))
			b.posts.change = func(verb string, r notifier.Reader, id int64) (notifier.Badge, error) {
				if verb != "read" {
					return notifier.Badge{}, fmt.Errorf("asked to mark as %s", verb)
				}
				p := b.of(r, id)
				p.Title, p.Read = "At 17:00", !unread
				return b.list(r).Badge(), nil
			}
			r := b.get("alice", "/announcements/5").wantStatus(t, http.StatusOK)
			r.wantText(t, "h1", "At 17:00")
			if want := map[bool]string{true: "0", false: "1"}[unread]; r.attr("#announcement", "data-read") != want {
				t.Errorf("the page says read=%s, want %s", r.attr("#announcement", "data-read"), want)
			}
		})
	}
}
