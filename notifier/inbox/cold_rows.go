package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// restored is a notice as needed to restore its rows.
type restored struct {
	notice    notifier.Notice
	texts     map[string][]byte // encoded contents as deliver stores them, by reason; none: its rows are not restored
	retracted bool
}

// text returns the content for this user; nil: the user's row is not restored.
func (r *restored) text(seq int64) []byte {
	if len(r.texts) == 0 {
		return nil
	}
	return r.texts[r.notice.ReasonFor(seq)]
}

// rowsOf reads the notices of all rows of these inboxes together.
func (b *Inbox) rowsOf(ctx context.Context, list []notifier.Snapshot, now int64) (map[int64]restored, error) {
	var ids []int64
	for i := range list {
		ids = append(ids, shownBy(list[i].Rows)...)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	notices, err := b.sql.Contents(ctx, ids)
	if err != nil {
		return nil, fmt.Errorf("read the contents of %d notices: %w", len(ids), script.MarkAway(err))
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

// textsOf returns the encoded contents of a notice by reason.
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

// restoreArgs returns the KEYS and ARGV of restore_inbox. A row that is not restored gets an
// empty value, and its notice is added to gone, as after a retraction or expiry.
func (b *Inbox) restoreArgs(s *notifier.Snapshot, rows map[int64]restored, at fences, now int64) []any {
	p, ver := b.part(s.Seq), s.Ver
	if ver == 0 {
		ver = now
	}
	args := make([]any, 0, 18+2*len(s.Rows)+2*len(s.Archived)+2*len(s.Gone))
	args = append(
		args,
		b.k.List(s.Seq), b.k.Hash(s.Seq), b.k.State(s.Seq), b.k.Gone(s.Seq), p.expiry, p.dirty, p.idle, b.k.Archive(s.Seq),
		ver, s.Opened, now, s.Seq, b.k.LiveUser(s.Seq), at.of(s.Seq), s.Floor, idList(s.Kept), len(s.Rows), len(s.Archived),
	)
	notice := func(id int64) *notifier.Notice {
		if r, ok := rows[id]; ok {
			return &r.notice
		}
		return nil
	}
	gone := slices.Clone(s.Gone)
	for _, row := range s.Rows {
		was := row.NoticeID
		row = succeeded(row, notice)
		group := groupIn(&row, notice)
		if row.NoticeID != was {
			gone = slices.DeleteFunc(gone, func(g notifier.GoneNotice) bool { return g.NoticeID == row.NoticeID })
			gone = append(gone, notifier.GoneNotice{NoticeID: was, Score: notifier.GoneScore(now, notifier.Left{Retracted: true})})
		}
		r := rows[row.NoticeID]
		text := r.text(s.Seq)
		var value []byte
		if r.retracted || text == nil || row.Expires > 0 && row.Expires <= now {
			_, read, _ := notifier.SplitField(row.Field)
			left := notifier.Left{Unread: !read, Read: read, Retracted: r.retracted}
			gone = append(gone, notifier.GoneNotice{NoticeID: row.NoticeID, Score: notifier.GoneScore(now, left)})
		} else {
			value = withGroup(rowValue(row, text), group)
			if row.NoticeID != was {
				value = append([]byte{'!'}, value...)
			}
		}
		args = append(args, row.Field, value)
	}
	for i := range s.Archived {
		args = append(args, s.Archived[i].Key, archiveValue(&s.Archived[i]))
	}
	for _, g := range gone {
		args = append(args, strconv.FormatFloat(g.Score, 'f', -1, 64), g.NoticeID)
	}
	return args
}

// idList formats ids as in state, separated by spaces.
func idList(ids []int64) string {
	var to []byte
	for i, id := range ids {
		if i > 0 {
			to = append(to, ' ')
		}
		to = strconv.AppendInt(to, id, 10)
	}
	return string(to)
}

// parseIDs parses an idList. It skips words that are not numbers, which no script writes.
func parseIDs(list string) (ids []int64) {
	for word := range strings.FieldsSeq(list) {
		if id, err := strconv.ParseInt(word, 10, 64); err == nil {
			ids = append(ids, id)
		}
	}
	return ids
}

// rowValue returns the stored value of a row: ID AT EXPIRY JSON.
func rowValue(row notifier.SnapshotRow, text []byte) []byte {
	to := make([]byte, 0, len(text)+60)
	for _, n := range []int64{row.NoticeID, row.At, row.Expires} {
		to = strconv.AppendInt(to, n, 10)
		to = append(to, ' ')
	}
	return append(to, text...)
}
