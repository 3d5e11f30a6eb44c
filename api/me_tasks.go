package api

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// registerMeTasks adds the calls with which a user takes tasks.
func registerMeTasks(m *me) {
	for _, of := range []struct {
		deed           notifier.TaskDeed
		summary, about string
	}{
		{notifier.DeedTake, "Take a task", "One user has a task; the rows of the others show who. Whoever has it gets the same answer again; for anybody else it is 409, and says who has it. If you are no longer among those whom it went to, it is 404."},
		{notifier.DeedDone, "Report a task as done", "For the user who has it; for anybody else it is 409, and says who does. It is closed for everybody then."},
		{notifier.DeedGiveBack, "Give a task back", "For the user who has it; for anybody else it is 409, and says who does. Anybody can take it then. When it is passed on does not change."},
	} {
		register(m.server, call{
			id: "me-" + string(of.deed), group: groupMe, method: http.MethodPost, path: mePath + "/" + string(of.deed), user: true, status: http.StatusOK,
			summary: of.summary, about: of.about + " If you have deleted its row, it is 404.",
			errors:   []int{http.StatusConflict},
			examples: []example{{name: "unknown", summary: "A notice that is no task", body: `{"id": 9999}`, status: http.StatusNotFound}},
		}, m.doTask(of.deed))
	}
}

type taskBody struct {
	ID int64 `json:"id" doc:"The ID of the notice of the row."`
}

type taskInput struct{ Payload payload[taskBody] }

type taskOutput struct{ Body takenTask }

// takenTask is a task after a deed.
type takenTask struct {
	ID     int64   `json:"id" doc:"The ID of the task: of its first notice, if the row is of the one that passed it on."`
	State  string  `json:"state" enum:"open,taken,done" doc:"Nobody has it, somebody has it, or it is done."`
	By     *string `json:"by" doc:"The name of the user who has it, or has done it; null if nobody has it."`
	At     *string `json:"at" format:"date-time" doc:"When they took it; null if nobody has it."`
	DoneAt *string `json:"done_at" format:"date-time" doc:"When it was reported as done; null if it was not."`
}

func (m *me) doTask(deed notifier.TaskDeed) func(context.Context, *taskInput) (*taskOutput, error) {
	return func(ctx context.Context, in *taskInput) (*taskOutput, error) {
		u := askerOf(ctx).User
		t, err := m.Tasks.Do(ctx, notifier.Actor{Ref: notifier.UserRef(u), Address: web.Of(ctx).Address}, notifier.Taking{Notice: in.Payload.Value.ID, User: u, Deed: deed})
		if refused := (*notifier.RefusedTaskError)(nil); errors.As(err, &refused) {
			zone, _ := u.Zones.InForce("")
			return nil, refusedTask(refused, notifier.Location(zone))
		}
		if err != nil {
			return nil, err
		}
		return &taskOutput{takenTask{t.ID, string(t.Taken.State()), textOrNull(t.Taken.By), timeOrNull(t.Taken.At), timeOrNull(t.Taken.DoneAt)}}, nil
	}
}

// refusedTask describes why a deed was refused, with times in a zone.
func refusedTask(err *notifier.RefusedTaskError, zone *time.Location) *problem {
	t := &err.Task.Taken
	return newProblem(http.StatusConflict, "task_"+string(t.State()), t.Sentence(zone))
}
