package reception

import (
	"context"
	"slices"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
)

// rank orders the prospects of several targets: the first of them is the one to name. What is sent or about to be sent comes
// before what is not sent at all.
var rank = []string{
	channels.Told, channels.Waits, channels.Daily, channels.Quiet, channels.Paused,
	channels.Failing, channels.Dead, channels.Off, channels.Unwanted, channels.Younger,
}

// told finds out why a user who has the row unread was not told of it outside the pages.
func (q *query) told(ctx context.Context, unread bool, at int64) error {
	if !unread {
		return nil
	}
	targets, err := q.c.Store.Reaches(ctx, []int64{q.u.Seq})
	if err != nil {
		return err
	}
	typ, _ := q.c.Types.Type(q.n.Type)
	devices, best := 0, len(rank)
	var kind notifier.ReachKind
	for i := range targets {
		t := &targets[i]
		if t.Kind == notifier.ReachPush {
			devices++
		}
		if !q.sends(t.Kind) {
			continue
		}
		p := channels.ProspectOf(t, &typ, q.n.Type, at, q.now)
		if r := slices.Index(rank, p.State); r < best {
			best, kind, q.But, q.Until = r, t.Kind, p.State, p.Until
		}
	}
	if devices == 0 && best >= slices.Index(rank, channels.Dead) && q.c.Pushing {
		left, err := q.c.Store.DeviceLeft(ctx, q.u.Seq)
		if err != nil {
			return err
		}
		if !left.IsZero() {
			q.Code, q.But, q.Until = notifier.ReceptionDevice, "device_gone", left
			return nil
		}
	}
	switch {
	case best == 0:
		q.But = ""
	case kind == notifier.ReachMail:
		q.Code, q.But = notifier.ReceptionMail, "mail_"+q.But
	case kind == notifier.ReachPush:
		q.Code, q.But = notifier.ReceptionDevice, "device_"+q.But
	}
	return nil
}

// sends reports whether this installation sends to targets of a kind.
func (q *query) sends(kind notifier.ReachKind) bool {
	return kind == notifier.ReachMail && q.c.Mailing || kind == notifier.ReachPush && q.c.Pushing
}
