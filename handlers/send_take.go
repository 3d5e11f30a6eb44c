package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// readTake returns the task of a form, or nil if the notice is none: the fields about what becomes of it are ignored then.
func readTake(values url.Values, bad *notifier.InvalidError) *notifier.Take {
	done := notifier.TakeDone(strings.TrimSpace(values.Get("take")))
	if done == "" {
		return nil
	}
	within, fault := readLife(values.Get("take_within"))
	if fault != "" {
		bad.Add("take.within", fault, nil)
	}
	return &notifier.Take{Finish: done, Rule: notifier.TakeRule{Within: within, Else: notifier.Target{Role: strings.TrimSpace(values.Get("take_else"))}}}
}

// duplicateTask fills in the task of a sent notice.
func (h *Handlers) duplicateTask(r *http.Request, n *notifier.Notice, f *views.SendForm) error {
	if n.Extras.Take == nil || n.Extras.Take.Of > 0 {
		return nil
	}
	t, err := h.Store.Task(r.Context(), n.ID)
	if err != nil {
		return fmt.Errorf("duplicate task %d: %w", n.ID, err)
	}
	f.Take, f.TakeElse = string(t.Taken.Finish), t.Taken.Rule.Else.Role
	if t.Taken.Rule.Within > 0 {
		f.TakeWithin = spelled(t.Taken.Rule.Within)
	}
	return nil
}

// takeField returns the field of the form for a field of a task.
func takeField(field string) string {
	if field == "take.done" {
		return "take"
	}
	return strings.ReplaceAll(field, ".", "_")
}

// takeOptions lists what can become of a notice that somebody takes.
func takeOptions(text *locale.Printer, chosen string) []components.Option {
	options := []components.Option{
		{Value: "", Text: text.T("send.take_no")},
		{Value: string(notifier.DoneRequired), Text: text.T("send.take_required")},
		{Value: string(notifier.DoneNone), Text: text.T("send.take_none")},
	}
	selectOption(options, chosen)
	return options
}
