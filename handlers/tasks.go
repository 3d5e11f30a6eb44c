package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	tasksPath  = "/staff/tasks"
	tasksTaken = tasksPath + "?state=taken"
)

// tasks lists the tasks that nobody has, oldest first, or those that somebody has and has not done, newest first.
func (h *Handlers) tasks(w http.ResponseWriter, r *http.Request) error {
	q := notifier.TaskQuery{Open: r.URL.Query().Get("state") != "taken", After: number(r.URL.Query().Get("after")), Limit: perPage + 1}
	found, err := h.Store.Tasks(r.Context(), q)
	if err != nil {
		return fmt.Errorf("list tasks: %w", err)
	}
	l := readList(nil, tasksPath, 0, "")
	p := &views.Tasks{Frame: h.frame(r, "tasks", "tasks.title")}
	p.FirstText, p.NextText = p.Text.T("tasks.oldest"), p.Text.T("tasks.newer")
	empty := components.Empty{Icon: "check", Heading: p.Text.T("tasks.empty_heading"), Text: p.Text.T("tasks.empty_text")}
	if !q.Open {
		l.narrow = url.Values{"state": {"taken"}}
		p.FirstText, p.NextText = p.Text.T("notices.newest"), p.Text.T("notices.older")
		empty.Heading = p.Text.T("tasks.none_taken")
	}
	p.List = listOf(r, p.Text, l, "tasks.column_", "task", "sent", "state", "late")
	p.Empty = empty
	p.Tabs = []components.Tab{
		{Href: tasksPath, Text: p.Text.T("tasks.open"), Current: q.Open},
		{Href: tasksTaken, Text: p.Text.T("tasks.taken"), Current: !q.Open},
	}
	if q.After > 0 {
		p.First = l.address("", "")
	}
	if len(found) > perPage {
		found = found[:perPage]
		p.Next = l.address("after", strconv.FormatInt(found[perPage-1].ID, 10))
	}
	p.Rows, err = rowsOf(h, r, found, func(t *notifier.Task) *notifier.Notice { return &t.Notice }, func(t *notifier.Task, names called) views.TaskRow {
		return h.taskRow(p.Text, t, names, h.now(r))
	})
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.TasksPage(p))
}

func (h *Handlers) taskRow(text *locale.Printer, t *notifier.Task, names called, now time.Time) views.TaskRow {
	row := views.TaskRow{
		Href: noticePath(t.ID), Title: t.Title,
		ToBy: text.F("notices.to_by", "Target", h.targetText(text, t.Target, names), "Sender", senderText(text, t.Sender, names)),
		Sent: momentOf(text, t.SentAt(), now), State: string(t.Taken.State()), StateText: hasTask(text, &t.Taken, "", now),
	}
	open := t.Taken.State() == notifier.TaskOpen
	row.Overdue = t.Late(now)
	switch left := t.LateAt.Sub(now); {
	case t.Passed > 0:
		row.Late = text.F("tasks.passed", "Target", h.targetText(text, t.Taken.Rule.Else, names))
	case !open || t.LateAt.IsZero():
	case row.Overdue:
		row.Late = text.F("tasks.late", "Time", timeLeft(text, -left))
	default:
		row.Late = timeLeft(text, left)
	}
	return row
}
