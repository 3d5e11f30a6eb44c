package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// hookOne shows a webhook and its last events. A new secret is shown once, right after it was created.
func (h *Handlers) hookOne(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	made := h.newHookSecret(w, r)
	p, err := h.hookPage(r, id)
	if err != nil && made != nil {
		// The secret exists, and this is the only time it can be shown.
		p, err = &views.Hook{Frame: h.frame(r, "hooks", "hooks.title")}, nil
	}
	if err != nil {
		return err
	}
	p.Made = made
	return h.page(w, r, http.StatusOK, views.HookPage(p))
}

func (h *Handlers) hookPage(r *http.Request, id int64) (*views.Hook, error) {
	k, err := h.Store.Hook(r.Context(), id)
	if err != nil {
		return nil, fmt.Errorf("read webhook %d: %w", id, err)
	}
	sent, err := h.Store.HookEvents(r.Context(), id, notifier.MaxHookPast)
	if err != nil {
		return nil, err
	}
	for i := range sent {
		if sent[i].State == notifier.HookWaiting {
			k.Waiting++
		}
	}
	now := h.now(r)
	p := &views.Hook{
		Frame: h.frame(r, "hooks", "hooks.title"), ID: strconv.FormatInt(id, 10), Path: hookPath(id), Back: hooksPath, Error: k.Error,
	}
	p.HookRow, p.Empty = hookRow(p.Text, &k), nothing(p.Text, "inbox", "hook.", false)
	p.Title = k.Name
	if k.Waiting == notifier.MaxHookPast {
		p.Waiting = p.Text.F("hook.waiting_many", "Count", strconv.Itoa(notifier.MaxHookPast))
	}
	switch k.Off {
	case notifier.HookOn:
	case notifier.HookGone:
		p.Off = p.Text.T("hook.off_gone")
	case notifier.HookFailing:
		p.Off = p.Text.T("hook.off_failing")
	}
	if !k.FailingSince.IsZero() {
		p.Failing = momentOf(p.Text, k.FailingSince, now)
		p.Failing.Before, p.Failing.After = p.Text.Around("hook.failing_since", "Time")
	}
	if k.OldUntil.After(now) {
		p.Old = momentOf(p.Text, k.OldUntil, now)
	}
	for _, name := range []string{"event", "state", "answer", "time", "action"} {
		p.Columns = append(p.Columns, listing{}.column(p.Text, "hook.column_", name))
	}
	for i := range sent {
		p.Sent = append(p.Sent, hookEventRow(p.Text, &sent[i], now))
	}
	return p, nil
}

func hookEventRow(text *locale.Printer, e *notifier.HookEvent, now time.Time) views.HookEventRow {
	row := views.HookEventRow{
		N: strconv.FormatInt(e.N, 10), ID: e.ID, Type: string(e.Type), Body: string(e.Body), State: string(e.State),
		StateText: text.T("hook.state_" + string(e.State)), Tries: text.N("hook.tries", int64(e.Tries)), Answer: e.Error,
		ReplayNamed: text.F("hook.replay_named", "Event", string(e.Type), "ID", e.ID),
	}
	if e.Error == "" && e.Status > 0 {
		row.Answer = strconv.Itoa(e.Status)
	}
	if e.State == notifier.HookWaiting {
		row.At = momentOf(text, e.DueAt, now)
		row.At.Before, row.At.After = text.Around("hook.next", "Time")
	} else {
		row.At = momentOf(text, e.EndedAt, now)
	}
	return row
}

// changeHook tests, rotates, switches on or removes a webhook, or sends an event again.
func (h *Handlers) changeHook(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	values, err := formWith(r, nil, "action", "n")
	if err != nil {
		return err
	}
	ctx, by := r.Context(), h.actor(r)
	var done string
	switch values.Get("action") {
	case "test":
		_, err = h.Hooks.Test(ctx, by, id)
		done = hookPath(id) + "?done=hook-tested"
	case "replay":
		err = h.Hooks.Replay(ctx, by, id, number(values.Get("n")))
		done = hookPath(id) + "?done=hook-replayed"
	case "on":
		_, err = h.Hooks.SwitchOn(ctx, by, id)
		done = hookPath(id) + "?done=hook-on"
	case "remove":
		_, err = h.Hooks.Remove(ctx, by, id)
		done = hooksPath + "?done=hook-removed"
	case "rotate":
		k, secret, err := h.Hooks.Rotate(ctx, by, id)
		if err != nil {
			return fmt.Errorf("rotate the secret of webhook %d: %w", id, err)
		}
		return h.showHookSecret(w, r, &k, secret)
	default:
		return fault("", codeForm, nil)
	}
	if err != nil {
		return fmt.Errorf("change webhook %d: %w", id, err)
	}
	redirect(w, r, done)
	return nil
}
