package inbox

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// maxRegroups is how often a row that keeps changing is read again.
const maxRegroups = 10

// regroup rebuilds the rows of these jobs from the notices in SQL: an edited or retracted notice shares them with others.
// key returns the entry key of an item.
func (b *Inbox) regroup(ctx context.Context, key func(of int) string, r *results) {
	if b.sql == nil {
		return
	}
	for jobs := range slices.Chunk(r.groups, perPipeline) {
		for left := maxRegroups; len(jobs) > 0; left-- {
			var err error
			if left == 0 {
				err = fmt.Errorf("%w: rows keep changing while their groups are rebuilt", notifier.ErrUnavailable)
			} else {
				jobs, err = b.regroupOnce(ctx, jobs, key, r)
			}
			if err != nil {
				r.fail(jobs, err)
				break
			}
		}
	}
}

// shared is a stored row with a group.
type shared struct {
	value string
	entry notifier.Entry
}

// regroupOnce makes one attempt, and returns the jobs whose row has changed meanwhile, or all jobs after an error.
func (b *Inbox) regroupOnce(ctx context.Context, jobs []job, key func(of int) string, r *results) (again []job, err error) {
	rows, err := b.sharedRows(ctx, jobs, key)
	if err != nil {
		return jobs, err
	}
	var ids []int64
	for _, row := range rows {
		for _, m := range row.entry.Group.Notices {
			ids = append(ids, m.ID)
		}
	}
	slices.Sort(ids)
	contents, err := b.sql.Contents(ctx, slices.Compact(ids))
	if err != nil {
		return jobs, fmt.Errorf("read the contents of %d notices: %w", len(ids), script.MarkAway(err))
	}
	p := script.NewPipe(b.rdb, len(rows))
	var changed []job
	var cmds []*redis.Cmd
	now := b.millis()
	for _, j := range jobs {
		row, found := rows[j]
		if !found {
			continue
		}
		value, err := regrouped(j.seq, row.entry, among(contents))
		if err != nil {
			return jobs, err
		}
		if string(value) == row.value {
			continue
		}
		part := b.part(j.seq)
		changed = append(changed, j)
		cmds = append(cmds, p.Add(
			ctx, regroupRow, 6, b.k.List(j.seq), b.k.Hash(j.seq), b.k.State(j.seq), b.k.Gone(j.seq), part.expiry, part.dirty,
			row.entry.Key, row.value, value, now, strconv.FormatInt(j.seq, 10), b.k.LiveUser(j.seq),
		))
	}
	_ = p.Exec(ctx) // each command has its own error
	for i, cmd := range cmds {
		switch reply, bad := script.ParseReply(cmd); {
		case bad != nil:
			r.fail(changed[i:i+1], bad)
		case reply.Code == 0:
			again = append(again, changed[i])
		case reply.Code > 0:
			r.add(1)
		} // a cold inbox is restored with the contents from SQL
	}
	return again, nil
}

// sharedRows reads the rows of these jobs that have a group.
func (b *Inbox) sharedRows(ctx context.Context, jobs []job, key func(of int) string) (map[job]shared, error) {
	pipe := b.rdb.Pipeline()
	cmds := make([]*redis.SliceCmd, len(jobs))
	for i, j := range jobs {
		cmds[i] = pipe.HMGet(ctx, b.k.Hash(j.seq), key(j.of)+notifier.UnreadSuffix, key(j.of)+notifier.ReadSuffix)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		return nil, script.MarkAway(err)
	}
	rows := make(map[job]shared, len(jobs))
	for i, cmd := range cmds {
		for state, v := range cmd.Val() {
			value, ok := v.(string)
			if !ok {
				continue
			}
			field := key(jobs[i].of) + []string{notifier.UnreadSuffix, notifier.ReadSuffix}[state]
			e, err := parseRow(field, value)
			if err != nil {
				return nil, err
			}
			if e.Group != nil {
				rows[jobs[i]] = shared{value, e}
			}
			break
		}
	}
	return rows, nil
}

// regrouped returns the value of a row after its notices were edited or retracted; empty if none is left.
func regrouped(seq int64, e notifier.Entry, notice noticeFunc) ([]byte, error) {
	m := without(e.Group.Members, notice)
	if len(m.Notices) == 0 {
		return nil, nil
	}
	row := notifier.SnapshotRow{NoticeID: e.NoticeID, At: e.At, Expires: millis(e.ExpiresAt), Members: m.String()}
	row = succeeded(row, notice)
	content, n := e.Content, notice(row.NoticeID)
	if n != nil {
		content = n.ContentFor(seq)
	}
	text, err := notifier.EncodeContent(content)
	if err != nil {
		return nil, fmt.Errorf("encode notice %d: %w", row.NoticeID, err)
	}
	return withGroup(rowValue(row, text), groupOf(m, n, notice, e.Group)), nil
}
