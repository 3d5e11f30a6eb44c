package notifier

import (
	"fmt"
	"time"
)

// Task is a notice that one of its recipients takes, with everything that is stored about it.
type Task struct {
	Notice           // the first one; the notice that passes it on is Passed
	Taken  Take      // in its present state, with its rule
	Holder int64     // number of the user who has it, or has done it; 0: nobody, or they were deleted
	Passed int64     // the notice that passed it on; 0: it has not been passed on
	LateAt time.Time // when it is late if nobody has taken it; zero: never
}

// TaskDeed is what a user does with a task.
type TaskDeed string

// The deeds.
const (
	DeedTake     TaskDeed = "take"
	DeedDone     TaskDeed = "done"
	DeedGiveBack TaskDeed = "give-back"
)

// Taking is a deed of a user with a task.
type Taking struct {
	Notice int64 // of the row: the task, or the notice that passed it on
	User   User
	Deed   TaskDeed
}

// TaskQuery selects tasks of notices that are sent and neither taken back nor expired.
type TaskQuery struct {
	Open  bool   // those that nobody has, the oldest first; otherwise those that somebody has and has not done, the latest taken first
	Role  string // only those that went or were passed on to this role; empty: all
	After int64  // only those behind the one of this notice in that order; 0: all
	Limit int
}

// Board is a page with the tasks of a role, for whoever has its link.
type Board struct {
	Role     string
	LinkedAt time.Time // when the link was made that is valid
}

// RefusedTaskError is an ErrConflict: somebody else has the task, nobody has it, or it is done.
type RefusedTaskError struct{ Task Task }

func (e *RefusedTaskError) Error() string {
	return fmt.Sprintf("task %d is %s: %v", e.Task.ID, e.Task.Taken.State(), ErrConflict)
}

func (e *RefusedTaskError) Unwrap() error { return ErrConflict }

// Do changes the task by a deed of a user, and reports whether that changed anything: the same deed again does not. For a deed that
// is not possible the error is a *RefusedTaskError.
func (t *Task) Do(deed TaskDeed, u *User, now time.Time) (changed bool, err error) {
	state := t.Taken.State()
	mine := state != TaskOpen && t.Holder == u.Seq
	switch {
	case deed == DeedTake && state == TaskOpen:
		t.Holder, t.Taken.By, t.Taken.Name, t.Taken.At = u.Seq, u.Name, u.Display, now
	case deed == DeedTake && state == TaskTaken && mine, deed == DeedDone && state == TaskDone && mine:
		return false, nil
	case deed == DeedDone && state == TaskTaken && mine:
		t.Taken.DoneAt = now
	case deed == DeedGiveBack && state == TaskTaken && mine:
		t.GiveBack()
	default:
		return false, &RefusedTaskError{Task: *t}
	}
	return true, nil
}

// Late reports whether nobody has taken the task in time.
func (t *Task) Late(now time.Time) bool {
	return t.Taken.State() == TaskOpen && !t.LateAt.IsZero() && !now.Before(t.LateAt)
}

// GiveBack opens a task that is not done. When it is late stays as it was.
func (t *Task) GiveBack() {
	t.Holder, t.Taken.By, t.Taken.Name, t.Taken.At = 0, "", "", time.Time{}
}

// Forget removes a user who is being deleted, and reports whether the task had them: what they have not done is open again.
func (t *Task) Forget(seq int64) bool {
	state := t.Taken.State()
	if state == TaskOpen || t.Holder != seq {
		return false
	}
	if state == TaskTaken {
		t.GiveBack()
		return true
	}
	t.Holder, t.Taken.By, t.Taken.Name = 0, "", ""
	return true
}
