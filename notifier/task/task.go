// Package task runs tasks: notices that one of their recipients takes. SQL decides who has a task, and whoever has it reaches the
// rows of all its recipients as an edit of their notice. A task that nobody takes in time is passed on: others get it as well, in a
// notice of their own.
package task

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

const (
	passEvery = 500 * time.Millisecond // how often late tasks are passed on
	passPage  = 100
)

// Config holds the dependencies of Tasks.
type Config struct {
	Store *store.Store
	// NoticeOf returns the notice whose row with this key a user has, in the inbox or put away; notifier.ErrNotFound: none.
	NoticeOf func(ctx context.Context, seq int64, key string) (int64, error)
	// Pass sends a late task to those whom it is passed on to. The notice has no id if there are none. A repeated call returns
	// the first notice.
	Pass   func(ctx context.Context, t *notifier.Task) (notifier.Notice, error)
	Lease  lease.Lease                                   // one instance at a time passes tasks on
	Follow func(ctx context.Context, n *notifier.Notice) // has the rows of a changed notice follow, and waits for that for a while
	Log    *slog.Logger
}

// Tasks are the tasks of an installation.
type Tasks struct{ c Config }

// New returns Tasks. Run passes on those that nobody takes.
func New(c Config) *Tasks { return &Tasks{c} }

// Run works until ctx ends, and then returns nil.
func (t *Tasks) Run(ctx context.Context) error {
	return lease.Work{Stage: "task", Lease: t.c.Lease, Every: passEvery, Do: t.passLate, Log: t.c.Log}.Run(ctx)
}

// Do stores a deed of a user, and has all rows follow. is.Notice is the notice of a row of the user, or another notice of the same task.
// Only a recipient who still has a row, and is still in its target, may act: for others it returns notifier.ErrNotFound.
// The same deed again returns the task as it is. A deed that is not possible is a *notifier.RefusedTaskError.
func (t *Tasks) Do(ctx context.Context, by notifier.Actor, is notifier.Taking) (notifier.Task, error) {
	row, err := t.row(ctx, &is)
	if err != nil {
		return notifier.Task{}, fmt.Errorf("%s task %d: %w", is.Deed, is.Notice, err)
	}
	is.Notice = row.ID
	task, err := t.c.Store.DoTask(ctx, by, is)
	if err == nil {
		t.c.Follow(ctx, &row)
	}
	return task, err
}

// row returns the notice of the user's row about a task. That it was passed on to them may have replaced the one that they name.
func (t *Tasks) row(ctx context.Context, is *notifier.Taking) (notifier.Notice, error) {
	named, err := t.c.Store.Notice(ctx, is.Notice)
	var has int64
	if err == nil {
		has, err = t.c.NoticeOf(ctx, is.User.Seq, named.Key())
	}
	if err != nil || has == named.ID {
		return named, err
	}
	row, err := t.c.Store.Notice(ctx, has)
	if err == nil && (first(&row) == 0 || first(&row) != first(&named)) {
		err = notifier.ErrNotFound
	}
	return row, err
}

// first returns the notice that was not taken; 0: the notice is no task.
func first(n *notifier.Notice) int64 {
	if n.Extras.Take == nil {
		return 0
	}
	return cmp.Or(n.Extras.Take.Of, n.ID)
}

// passLate passes on the tasks that nobody has taken in time.
func (t *Tasks) passLate(ctx context.Context) error {
	for {
		late, err := t.c.Store.LateTasks(ctx, passPage)
		for i := range late {
			if err == nil {
				err = t.pass(ctx, &late[i])
			}
		}
		if err != nil || len(late) < passPage {
			return err
		}
	}
}

func (t *Tasks) pass(ctx context.Context, late *notifier.Task) error {
	var n notifier.Notice
	var err error
	if !late.State.TakenBack() {
		n, err = t.c.Pass(ctx, late)
	}
	if invalid := (*notifier.InvalidError)(nil); errors.As(err, &invalid) || err == nil && n.ID == 0 && !late.State.TakenBack() {
		t.c.Log.WarnContext(ctx, "a task that nobody took is not passed on: there is nobody to pass it to", "notice_id", late.ID, "err", err)
		err = nil
	}
	if err == nil {
		err = t.c.Store.KeepLate(ctx, late.ID)
	}
	if errors.Is(err, notifier.ErrNotFound) || errors.Is(err, notifier.ErrConflict) { // meanwhile it was deleted, retracted or taken
		err = nil
	}
	if err == nil && n.ID > 0 {
		t.c.Follow(ctx, &n)
	}
	return err
}
