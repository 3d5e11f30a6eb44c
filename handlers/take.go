package handlers

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// doTask returns the handler of a deed with the task of an entry. A deed that is refused shows who has the task.
func (h *Handlers) doTask(deed notifier.TaskDeed) func(http.ResponseWriter, *http.Request) error {
	done := map[notifier.TaskDeed]string{notifier.DeedTake: "taken", notifier.DeedDone: "finished", notifier.DeedGiveBack: "given_back"}[deed]
	return func(w http.ResponseWriter, r *http.Request) error {
		keys, values, err := keysForm(r, "at", "back")
		if err != nil {
			return err
		}
		id, err := h.Inbox.NoticeOf(r.Context(), seqOf(r), keys[0])
		if err != nil {
			return fmt.Errorf("find a task: %w", err)
		}
		t, err := h.Tasks.Do(r.Context(), h.actor(r), notifier.Taking{Notice: id, User: visitOf(r).user.User, Deed: deed})
		shown := answered{key: keys[0], values: values, take: &t.Taken, status: http.StatusOK, title: "take.title"}
		var refused *notifier.RefusedTaskError
		switch {
		case errors.As(err, &refused):
			shown.take, shown.status = &refused.Task.Taken, http.StatusConflict
			shown.done = &views.Done{Text: hasTask(h.text(r), shown.take, "", h.now(r))}
		case err != nil:
			return fmt.Errorf("%s a task: %w", deed, err)
		case !fragment(r):
			redirect(w, r, backTo(values.Get("back"), url.Values{"done": {done}}))
			return nil
		default:
			shown.done = &views.Done{Text: h.text(r).T("done." + done)}
		}
		return h.answered(w, r, &shown)
	}
}

// hasTask describes who has a task, for a reader with this name.
func hasTask(text *locale.Printer, t *notifier.Take, reader string, now time.Time) string {
	holder := holderText(text, t)
	short := func(at time.Time) string { return text.Short(at.In(now.Location()), now) }
	mine := t.By != "" && t.By == reader
	switch t.State() {
	case notifier.TaskDone:
		return text.F("take.done", "Name", holder, "Time", short(t.DoneAt))
	case notifier.TaskTaken:
		if mine {
			return text.F("take.mine", "Time", short(t.At))
		}
		return text.F("take.taken", "Name", holder, "Time", short(t.At))
	case notifier.TaskOpen:
	}
	return text.T("take.open")
}

// holderText returns what the user who has a task is called.
func holderText(text *locale.Printer, t *notifier.Take) string {
	return cmp.Or(t.Name, t.By, text.T("inbox.somebody"))
}

// take returns what a row shows of its task; nil: it has none.
func (m rowMaker) take(t *notifier.Take) *components.Take {
	if t == nil {
		return nil
	}
	shown := &components.Take{}
	switch state := t.State(); {
	case state != notifier.TaskOpen:
		shown.Status = hasTask(m.text, t, m.reader, m.now)
		if state == notifier.TaskTaken && t.By == m.reader {
			if t.Finish == notifier.DoneRequired {
				shown.Deeds = append(shown.Deeds, components.TakeDeed{Name: string(notifier.DeedDone), Label: m.text.T("take.finish"), Style: "primary"})
			}
			shown.Deeds = append(shown.Deeds, components.TakeDeed{Name: string(notifier.DeedGiveBack), Label: m.text.T("take.give_back")})
		}
		return shown
	case t.Of > 0:
		shown.Status = m.text.T("take.late")
	}
	shown.Deeds = []components.TakeDeed{takeIt(m.text)}
	return shown
}

func takeIt(text *locale.Printer) components.TakeDeed {
	return components.TakeDeed{Name: string(notifier.DeedTake), Label: text.T("take.take"), Style: "primary"}
}

// seenTask returns the task of a draft as its preview shows it; nil: it is none.
func seenTask(text *locale.Printer, of *notifier.Take) *components.Take {
	if of == nil {
		return nil
	}
	return &components.Take{Deeds: []components.TakeDeed{takeIt(text)}, Preview: true}
}
