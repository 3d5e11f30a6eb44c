package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
)

// restored is what a notice is to the rows that are restored of it.
type restored struct {
	notice    notifier.Notice
	texts     map[string][]byte // as deliver writes them, by the reason for which it came; none: no row comes back
	retracted bool
}

// text is what it shows to this user; nil: his row does not come back.
func (r *restored) text(seq int64) []byte {
	if len(r.texts) == 0 {
		return nil
	}
	return r.texts[r.notice.ReasonFor(seq)]
}

// rowsOf reads the notices of all rows of these inboxes at once.
func (b *Inbox) rowsOf(ctx context.Context, list []notifier.Snapshot, now int64) (map[int64]restored, error) {
	var ids []int64
	for i := range list {
		for _, row := range list[i].Rows {
			ids = append(ids, row.NoticeID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	notices, err := b.sql.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the contents of %d notices: %w", len(ids), away(err))
	}
	rows := make(map[int64]restored, len(notices))
	for id, n := range notices {
		r := restored{notice: n, retracted: n.State == notifier.StateRetracting || n.State == notifier.StateRetracted}
		if due := millis(n.ExpiresAt); !r.retracted && (due == 0 || due > now) {
			if r.texts, err = textsOf(&n); err != nil {
				return nil, fmt.Errorf("encode notice %d: %w", id, err)
			}
		}
		rows[id] = r
	}
	return rows, nil
}

// textsOf are what a notice shows, by the reason for which it came.
func textsOf(n *notifier.Notice) (map[string][]byte, error) {
	texts := make(map[string][]byte, 1+len(n.Reasons))
	c := n.Content()
	add := func() (err error) {
		texts[c.Reason], err = notifier.EncodeContent(c)
		return err
	}
	err := add()
	for _, why := range n.Reasons {
		c.Reason = why.Reason
		err = errors.Join(err, add())
	}
	return texts, err
}

// restoreArgs are the KEYS and ARGV of restore_inbox. A row that does not come back
// has no value, and its notice is gone now, as a retraction or expiry would note it.
func (b *Inbox) restoreArgs(s *notifier.Snapshot, rows map[int64]restored, at fences, now int64) []any {
	p, ver := b.part(s.Seq), s.Ver
	if ver == 0 {
		ver = now
	}
	args := make([]any, 0, 15+2*len(s.Rows)+2*len(s.Gone))
	args = append(
		args,
		b.k.List(s.Seq), b.k.Hash(s.Seq), b.k.State(s.Seq), b.k.Gone(s.Seq), p.expiry, p.dirty, p.idle,
		ver, s.Opened, now, s.Seq, b.k.LiveUser(s.Seq), at.of(s.Seq), s.Floor, len(s.Rows),
	)
	gone := slices.Clip(s.Gone)
	for _, row := range s.Rows {
		r := rows[row.NoticeID]
		text := r.text(s.Seq)
		var value []byte
		switch {
		case r.retracted:
			gone = append(gone, notifier.GoneNotice{NoticeID: row.NoticeID, Score: float64(now) + 0.5})
		case text == nil || row.Expires > 0 && row.Expires <= now:
			gone = append(gone, notifier.GoneNotice{NoticeID: row.NoticeID, Score: float64(now)})
		default:
			value = rowValue(row, text)
		}
		args = append(args, row.Field, value)
	}
	for _, g := range gone {
		args = append(args, strconv.FormatFloat(g.Score, 'f', -1, 64), g.NoticeID)
	}
	return args
}

// rowValue is ID AT EXPIRY JSON.
func rowValue(row notifier.SnapshotRow, text []byte) []byte {
	to := make([]byte, 0, len(text)+60)
	for _, n := range []int64{row.NoticeID, row.At, row.Expires} {
		to = strconv.AppendInt(to, n, 10)
		to = append(to, ' ')
	}
	return append(to, text...)
}
