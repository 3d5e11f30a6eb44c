package reception

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// inbox returns the user's inbox: from Redis, or from SQL if it is only there.
func (q *query) inbox(ctx context.Context) (notifier.Snapshot, error) {
	boxes, err := q.c.Read(ctx, []int64{q.u.Seq})
	if err != nil || len(boxes) > 0 {
		return append(boxes, notifier.Snapshot{})[0], err
	}
	stored, err := q.c.Store.Snapshots(ctx, []int64{q.u.Seq})
	return stored[q.u.Seq], err
}

// row returns when the user's row of the notice arrived (a value of Entry.At), and whether it is unread; 0: they have none. A
// row that stands for several notices is the row of each.
func (q *query) row(box *notifier.Snapshot) (unread bool, at int64) {
	now := q.now.UnixMilli()
	for i := range box.Rows {
		if r := &box.Rows[i]; q.among(r.NoticeID, r.Members) && (r.Expires == 0 || r.Expires > now) {
			_, read, _ := notifier.SplitField(r.Field)
			return !read, r.At
		}
	}
	for i := range box.Archived {
		if r := &box.Archived[i]; q.among(r.NoticeID, r.Members) && r.Visible(now) {
			return false, r.At
		}
	}
	return false, 0
}

func (q *query) among(id int64, word string) bool {
	if id == q.n.ID {
		return true
	}
	members, _ := notifier.ParseMembers(word)
	return slices.ContainsFunc(members.Notices, func(m notifier.Member) bool { return m.ID == q.n.ID })
}

// left finds out why a recipient does not have the notice.
func (q *query) left(ctx context.Context, box *notifier.Snapshot) error {
	i := slices.IndexFunc(box.Gone, func(g notifier.GoneNotice) bool { return g.NoticeID == q.n.ID })
	over := !q.n.ExpiresAt.After(q.now)
	if i < 0 {
		switch {
		case over:
			return q.is(notifier.ReceptionExpired, "expired", q.n.ExpiresAt)
		case q.n.State != notifier.StateSent:
			return q.is(notifier.ReceptionTarget, "on_way", time.Time{})
		}
		return q.is(notifier.ReceptionDeleted, "left", time.Time{})
	}
	ver := int64(math.Floor(box.Gone[i].Score))
	at := time.UnixMilli(ver)
	how := notifier.LeftBy(box.Gone[i].Score)
	if how.Retracted {
		return q.is(notifier.ReceptionRetracted, "retracted", time.Time{})
	}
	if over && !at.Before(q.n.ExpiresAt.Truncate(time.Millisecond)) {
		return q.is(notifier.ReceptionExpired, "expired", q.n.ExpiresAt)
	}
	if how.Crowded {
		return q.is(notifier.ReceptionDeleted, "no_room", at)
	}
	why, err := q.deleted(ctx, box, ver)
	if err != nil {
		return err
	}
	return q.is(notifier.ReceptionDeleted, why, at)
}

// deleted finds out whether the row left in a version because a notice with the same key took its place. Otherwise the user deleted it.
func (q *query) deleted(ctx context.Context, box *notifier.Snapshot, ver int64) (string, error) {
	for i := range box.Rows {
		r := &box.Rows[i]
		if key, _, _ := notifier.SplitField(r.Field); r.At == ver && key == q.n.Key() {
			return "replaced", nil
		}
	}
	if q.n.Subject == "" {
		return "deleted", nil
	}
	later, err := q.c.Store.NoticesBySubject(ctx, q.n.Subject, []int64{q.n.App.ID}, q.n.ID, notifier.MaxMembers)
	if err != nil {
		return "", err
	}
	for i := range later {
		n := &later[i]
		if n.Key() != q.n.Key() || n.SentAt().UnixMilli() > ver {
			continue
		}
		switch to, err := q.c.Store.Recipients(ctx, n.ID); {
		case errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			return "", err
		case to.ContainsInt(int(q.u.Seq)):
			return "replaced", nil
		}
	}
	return "deleted", nil
}
