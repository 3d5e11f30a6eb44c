package live

import (
	"encoding/json"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// turnToasts are the toasts of a turn, with the users connected here who get them. It is empty for
// nearly all turns, which then cost nothing more.
//
// Each instance raises the toasts for its own users; a user connected to several instances still
// gets each toast once. A user who does not receive the turn has the announcement only in the list
// and the badge: users who connect a moment later, and users connected here while the subscription
// is lost.
type turnToasts []turnToast

type turnToast struct {
	event *notifier.TurnEvent
	raise notifier.ToastRaise
}

// newTurnToasts selects the openings that are shown as toasts.
func newTurnToasts(t *notifier.Turn) (all turnToasts) {
	for i := range t.Events {
		e := &t.Events[i]
		var b notifier.Bulletin
		if e.Kind != notifier.TurnOpen || json.Unmarshal([]byte(e.JSON), &b) != nil || !b.Toast {
			continue
		}
		// The body is Markdown and too long for a toast; the link leads to it.
		content, err := notifier.EncodeContent(notifier.Content{
			Type: notifier.TypeAnnouncement, Title: b.Title, Link: "/announcements/" + strconv.FormatInt(e.ID, 10),
		})
		if err == nil { // always nil: the content is strings and a time
			all = append(all, turnToast{e, notifier.ToastRaise{NoticeID: e.ID, Content: content}})
		}
	}
	return all
}

// add adds u to the toasts u sees, if u can receive them. The caller holds the lock of the user's
// shard.
func (all turnToasts) add(u *user) {
	for i := range all {
		if t := &all[i]; t.event.Sees(u.seq) && u.receives() {
			t.raise.Seqs = append(t.raise.Seqs, u.seq)
		}
	}
}

// raise queues the toasts for the users that were added.
func (all turnToasts) raise(k *courier) {
	for i := range all {
		if t := &all[i]; len(t.raise.Seqs) > 0 {
			k.raise([]notifier.ToastRaise{t.raise})
		}
	}
}
