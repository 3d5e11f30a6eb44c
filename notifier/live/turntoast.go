package live

import (
	"encoding/json"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// turnToasts is what pops up of a turn, and for whom of those connected here. It is
// empty for nearly all turns, which cost nothing more then.
//
// Each instance raises it for its own users; who is connected to several is given it
// once all the same. Who is not there to hear the turn has it in the list and the badge
// alone: also who comes a moment later, and all who stay connected here while the
// subscription is lost.
type turnToasts []turnToast

type turnToast struct {
	event *notifier.TurnEvent
	raise notifier.ToastRaise
}

// newTurnToasts picks out the openings that pop up.
func newTurnToasts(t *notifier.Turn) (all turnToasts) {
	for i := range t.Events {
		e := &t.Events[i]
		var b notifier.Bulletin
		if e.Kind != notifier.TurnOpen || json.Unmarshal([]byte(e.JSON), &b) != nil || !b.Toast {
			continue
		}
		// Its body is Markdown and longer than what pops up: that is what the link is for.
		content, err := notifier.EncodeContent(notifier.Content{
			Type: notifier.TypeAnnouncement, Title: b.Title, Link: "/announcements/" + strconv.FormatInt(e.ID, 10),
		})
		if err == nil { // as always: it is strings and a time
			all = append(all, turnToast{e, notifier.ToastRaise{NoticeID: e.ID, Content: content}})
		}
	}
	return all
}

// add puts u down for what he sees, when he is there to see it pop up. The caller holds
// his shard's lock.
func (all turnToasts) add(u *user) {
	for i := range all {
		if t := &all[i]; t.event.Sees(u.seq) && u.receives() {
			t.raise.Seqs = append(t.raise.Seqs, u.seq)
		}
	}
}

// raise has it raised for those who were put down.
func (all turnToasts) raise(k *courier) {
	for i := range all {
		if t := &all[i]; len(t.raise.Seqs) > 0 {
			k.raise([]notifier.ToastRaise{t.raise})
		}
	}
}
