package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const hooksPath = "/staff/hooks"

func hookPath(id int64) string { return hooksPath + "/" + strconv.FormatInt(id, 10) }

// hookList lists the webhooks by name.
func (h *Handlers) hookList(w http.ResponseWriter, r *http.Request) error {
	p, err := h.hooksPage(r, nil)
	if err != nil {
		return err
	}
	return h.page(w, r, http.StatusOK, views.HooksPage(p))
}

// hooksPage builds the page of the list. There are few webhooks, so it shows them all.
func (h *Handlers) hooksPage(r *http.Request, events []string) (*views.Hooks, error) {
	all, err := h.Store.Hooks(r.Context())
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	p := &views.Hooks{Frame: h.frame(r, "hooks", "hooks.title")}
	p.Empty = nothing(p.Text, "package", "hooks.", false)
	for _, name := range []string{"name", "events", "state", "waiting"} {
		p.Columns = append(p.Columns, listing{}.column(p.Text, "hooks.column_", name))
	}
	for i := range all {
		p.Rows = append(p.Rows, hookRow(p.Text, &all[i]))
	}
	for _, typ := range notifier.EventTypes() {
		if value := string(typ); typ != notifier.EventTest {
			hint := p.Text.T("hooks.event_" + strings.ReplaceAll(value, ".", "_"))
			p.Events = append(p.Events, views.EventChoice{Value: value, Hint: hint, Chosen: contains(events, value)})
		}
	}
	return p, nil
}

func hookRow(text *locale.Printer, k *notifier.Hook) views.HookRow {
	row := views.HookRow{
		Name: k.Name, URL: k.URL, Href: hookPath(k.ID), Waiting: text.N("hooks.waiting", k.Waiting),
		State: "fine", StateText: text.T("hooks.on"),
	}
	switch {
	case k.Off != notifier.HookOn:
		row.State, row.StateText = "revoked", text.T("hooks.off")
	case !k.FailingSince.IsZero():
		row.State, row.StateText = "failing", text.T("hooks.failing")
	}
	for _, typ := range k.Events {
		row.Events = append(row.Events, string(typ))
	}
	return row
}

// addHook adds a webhook and redirects to its page, which shows the secret once.
func (h *Handlers) addHook(w http.ResponseWriter, r *http.Request) error {
	values, err := formWith(r, []string{"events"}, "name", "url")
	if values == nil {
		return err
	}
	pasted(values)
	k := notifier.Hook{Name: strings.TrimSpace(values.Get("name")), URL: strings.TrimSpace(values.Get("url"))}
	for _, typ := range slices.Compact(slices.Sorted(slices.Values(values["events"]))) {
		k.Events = append(k.Events, notifier.EventType(typ))
	}
	bad := merge(err, k.Check())
	if len(bad.Fields) == 0 {
		added, secret, err := h.Hooks.Add(r.Context(), h.actor(r), k)
		if err == nil {
			return h.showHookSecret(w, r, &added, secret)
		}
		if !errors.As(err, &bad) {
			return fmt.Errorf("add a webhook: %w", err)
		}
	}
	return h.hookAgain(w, r, values, bad)
}

// hookAgain shows the form again as it was filled in, with its faults.
func (h *Handlers) hookAgain(w http.ResponseWriter, r *http.Request, values url.Values, bad *notifier.InvalidError) error {
	for i, f := range bad.Fields {
		if f.Field == "events" && f.Code == notifier.CodeRequired {
			bad.Fields[i].Code = codeChooseOne
		}
	}
	p, err := h.hooksPage(r, values["events"])
	if err != nil {
		return err
	}
	p.Name, p.URL = kept(values.Get("name")), kept(values.Get("url"))
	p.Faults = faultsOf(p.Text, bad, "name", "url", "events")
	return h.page(w, r, http.StatusUnprocessableEntity, views.HooksPage(p))
}

// showHookSecret redirects to the page of a webhook, which shows a new secret once. It travels in a sealed cookie; see makeAPIKey.
func (h *Handlers) showHookSecret(w http.ResponseWriter, r *http.Request, k *notifier.Hook, secret string) error {
	if err := h.Slips.Put(w, r, hookPath(k.ID), seqOf(r), secret); err != nil {
		return fmt.Errorf("show the secret of webhook %d: %w", k.ID, err)
	}
	redirect(w, r, hookPath(k.ID))
	return nil
}

// newHookSecret returns the secret that was just created, or nil if there is none or it was already shown.
func (h *Handlers) newHookSecret(w http.ResponseWriter, r *http.Request) *views.NewHook {
	if r.Method != http.MethodGet {
		return nil
	}
	secret, ok := h.Slips.Take(w, r, seqOf(r))
	if !ok {
		return nil
	}
	return &views.NewHook{Secret: secret, Text: h.text(r).T("hook.made")}
}
