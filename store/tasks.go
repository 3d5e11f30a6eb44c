package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// addTask adds the task of a notice.
const addTask = `INSERT INTO tasks (notice_id, finish, within, late_at, passes_to) VALUES ($1, $2, $3, $4, $5)`

// taskRow is the part of addTask after the id.
type taskRow struct {
	finish, passesTo string
	within, late     int64
}

// taskRowOf returns the task of a notice; nil: it is none of its own.
func taskRowOf(n *notifier.Notice) (*taskRow, error) {
	t := n.Extras.Take
	if t == nil || t.Of > 0 {
		return nil, nil
	}
	row := &taskRow{finish: string(t.Finish), within: t.Rule.Within.Milliseconds()}
	if row.within > 0 && n.State != notifier.StateScheduled { // Release sets it for that
		row.late = millis(n.CreatedAt) + row.within
	}
	if !t.Rule.Else.IsZero() {
		to, err := json.Marshal(t.Rule.Else)
		if err != nil {
			return nil, fmt.Errorf("encode to whom a task is passed on: %w", err)
		}
		row.passesTo = string(to)
	}
	return row, nil
}

// taskArrays returns the parameters of addNoticesQuery that describe the tasks, by column: the place of the row, from 1, and what
// addTask stores.
func taskArrays(rows []*noticeRow) []any {
	places, within, late, finish, passes := []int64{}, []int64{}, []int64{}, []string{}, []string{}
	for i, n := range rows {
		if t := n.task; t != nil {
			places, finish, within = append(places, int64(i)+1), append(finish, t.finish), append(within, t.within)
			late, passes = append(late, t.late), append(passes, t.passesTo)
		}
	}
	return []any{places, finish, within, late, passes}
}

// taskNotice renames columns of tasks, so that noticeColumns are not ambiguous.
const taskNotice = `SELECT ` + noticeColumns + `, recipients, tasked, within, late_at, passes_to, passed, holder, taken_at, done_at
	FROM (SELECT notice_id AS task_id, state AS tasked, within, late_at, passes_to, passed, holder, taken_at, done_at FROM tasks) t
	JOIN notices ON id = task_id LEFT JOIN announcements ON notice_id = id `

// scanTask reads a row of taskNotice. Its notice has no Reasons.
func scanTask(rows *sql.Rows) (t notifier.Task, to *roaring.Bitmap, err error) {
	var blob []byte
	var state notifier.TaskState
	var within, late, taken, done int64
	var passes string
	if t.Notice, err = scanNotice(rows, &blob, &state, &within, &late, &passes, &t.Passed, &t.Holder, &taken, &done); err != nil {
		return t, nil, err
	}
	if t.Extras.Take == nil {
		return t, nil, fmt.Errorf("notice %d is no task", t.ID)
	}
	t.Taken, t.LateAt = *t.Extras.Take, fromMillis(late)
	t.Taken.At, t.Taken.DoneAt = fromMillis(taken), fromMillis(done)
	t.Taken.Rule.Within = time.Duration(within) * time.Millisecond
	if passes != "" {
		if err := json.Unmarshal([]byte(passes), &t.Taken.Rule.Else); err != nil {
			return t, nil, fmt.Errorf("read to whom task %d is passed on: %w", t.ID, err)
		}
	}
	to, err = recipientsIn(t.ID, blob)
	return t, to, err
}

// recipientsIn decodes a set of users; NULL is none.
func recipientsIn(id int64, blob []byte) (*roaring.Bitmap, error) {
	if blob == nil {
		return roaring.New(), nil
	}
	return decodeRecipients(id, blob)
}

// Task returns a task, or notifier.ErrNotFound.
func (s *Store) Task(ctx context.Context, id int64) (notifier.Task, error) {
	found, err := s.tasks(ctx, `WHERE task_id = $1`, id)
	if err == nil && len(found) == 0 {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return notifier.Task{}, s.fail(err, "read task %d", id)
	}
	return found[0], nil
}

// Tasks returns the tasks that a query selects.
func (s *Store) Tasks(ctx context.Context, q notifier.TaskQuery) ([]notifier.Task, error) {
	var f filter
	order := `ASC`
	if q.Open {
		f.add(`tasked = 'open'`)
		if q.After > 0 {
			f.add(`task_id > %s`, q.After)
		}
	} else {
		order = `DESC`
		f.add(`tasked = 'taken'`)
		if q.After > 0 {
			f.add(`task_id < %s`, q.After)
		}
	}
	f.add(`state IN ('accepted', 'sending', 'sent') AND expires_at > %s`, millis(s.now()))
	if q.Role != "" {
		quoted, err := json.Marshal(q.Role) // as it appears in a target
		if err != nil {
			return nil, s.fail(err, "list tasks")
		}
		// A target has one kind of recipient, so a user or a topic with the name of the role is none of these.
		one, several := `%"role":`+literal(text(string(quoted)))+`%`, `%"roles":[%`+literal(text(string(quoted)))+`%`
		f.add(`(target LIKE %s ESCAPE '\' OR target LIKE %s ESCAPE '\' OR passed > 0 AND (passes_to LIKE %s ESCAPE '\' OR passes_to LIKE %s ESCAPE '\'))`,
			one, several, one, several)
	}
	found, err := s.tasks(ctx, f.where()+` ORDER BY task_id `+order+` LIMIT `+f.param(pageSize(q.Limit)), f.args...)
	return found, s.fail(err, "list tasks")
}

// LateTasks returns tasks that nobody has taken in time and that are to be passed on, those that were late first first.
func (s *Store) LateTasks(ctx context.Context, limit int) ([]notifier.Task, error) {
	found, err := s.tasks(ctx, `WHERE task_id IN (SELECT notice_id FROM tasks
		WHERE state = 'open' AND passed = 0 AND passes_to <> '' AND late_at > 0 AND late_at <= $1 ORDER BY late_at, notice_id LIMIT $2)
		ORDER BY late_at, task_id`, millis(s.now()), pageSize(limit))
	return found, s.fail(err, "list the tasks that nobody has taken")
}

func (s *Store) tasks(ctx context.Context, where string, args ...any) (found []notifier.Task, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		t, _, err := scanTask(rows)
		found = append(found, t)
		return err
	}, taskNotice+where, args...)
	return found, err
}
