package api

import (
	"context"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const groupHooks = "Webhooks"

// registerHooks adds the calls about webhooks.
func registerHooks(s *server) {
	h := &hooks{s}
	register(s, call{
		id: "add-hook", group: groupHooks, method: http.MethodPost, path: "/hooks", scope: notifier.ScopeAdmin, status: http.StatusCreated,
		summary: "Add a webhook",
		about: "Events of these types are then sent to the address, by the Standard Webhooks specification. The `secret` verifies them, and is not shown again. " +
			"The address must be public and https, unless the operator allows its network by `--outbound-allow`.",
		examples: []example{
			{name: "add", summary: "What becomes of notices", body: `{"name": "shop", "url": "https://shop.example.com/hooks/carillon", "events": ["notice.sent", "notice.delivered", "entries.read"]}`},
			{name: "private", summary: "An address that is not public", body: `{"name": "inside", "url": "https://10.0.0.7/hook", "events": ["user.deleted"]}`, status: http.StatusUnprocessableEntity},
		},
	}, h.add)
	register(s, call{
		id: "list-hooks", group: groupHooks, method: http.MethodGet, path: "/hooks", scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "List webhooks", about: "By name, without their secrets.",
		examples: []example{{name: "all", summary: "All webhooks"}},
	}, h.list)
	register(s, call{
		id: "remove-hook", group: groupHooks, method: http.MethodDelete, path: "/hooks/{id}", scope: notifier.ScopeAdmin, status: http.StatusNoContent,
		summary: "Remove a webhook", about: "Events that wait for it are not sent any more.",
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "unknown", summary: "A webhook that does not exist", params: map[string]string{"id": "9999"}, status: http.StatusNotFound}},
	}, h.remove)
}

// hooks answers the calls about webhooks.
type hooks struct{ *server }

type upToEvents struct{}

func (upToEvents) most() int { return 2 * len(notifier.EventTypes()) }

type hookBody struct {
	Name   string                                  `json:"name,omitempty" doc:"What people and commands call it; each webhook has another one."`
	URL    string                                  `json:"url,omitempty" doc:"Where events are sent: up to 1,000 bytes, https, without a user."`
	Events bounded[notifier.EventType, upToEvents] `json:"events,omitempty" nullable:"false" doc:"The types of events that it wants."`
}

type addHookInput struct{ Payload payload[hookBody] }

type addedHook struct {
	ID     int64  `json:"id" doc:"Its number."`
	Secret string `json:"secret" doc:"Verifies its messages: whsec_ and 24 bytes in base64. It is not shown again."`
}

type addHookOutput struct{ Body addedHook }

func (h *hooks) add(ctx context.Context, in *addHookInput) (*addHookOutput, error) {
	body := &in.Payload.Value
	added, secret, err := h.Hooks.Add(ctx, h.actor(ctx), notifier.Hook{Name: body.Name, URL: body.URL, Events: body.Events})
	if err != nil {
		return nil, err
	}
	return &addHookOutput{addedHook{added.ID, secret}}, nil
}

type hookAnswer struct {
	ID           int64                `json:"id" doc:"Its number."`
	Name         string               `json:"name" doc:"What people and commands call it."`
	URL          string               `json:"url" doc:"Where events are sent."`
	Events       []notifier.EventType `json:"events" nullable:"false" doc:"The types of events that it wants."`
	State        string               `json:"state" enum:"on,off" doc:"off: it has failed for 5 days, or answered 410. Staff and commands switch it on again."`
	Waiting      int64                `json:"waiting" doc:"Events that wait for it."`
	FailingSince *time.Time           `json:"failing_since" doc:"The first failure since the last success; null: it does not fail."`
	Error        string               `json:"error" doc:"The last failure since the last success; empty: it does not fail."`
	CreatedAt    time.Time            `json:"created_at" doc:"When it was added."`
}

type hooksOutput struct {
	Body struct {
		Hooks []hookAnswer `json:"hooks" nullable:"false" doc:"By name."`
	}
}

func (h *hooks) list(ctx context.Context, _ *struct{}) (*hooksOutput, error) {
	all, err := h.Store.Hooks(ctx)
	if err != nil {
		return nil, err
	}
	out := &hooksOutput{}
	out.Body.Hooks = make([]hookAnswer, len(all))
	for i := range all {
		one := &all[i]
		a := hookAnswer{
			ID: one.ID, Name: one.Name, URL: one.URL, Events: append([]notifier.EventType{}, one.Events...), State: "on",
			Waiting: one.Waiting, Error: one.Error, CreatedAt: one.CreatedAt,
		}
		if one.Off != notifier.HookOn {
			a.State = "off"
		}
		if !one.FailingSince.IsZero() {
			a.FailingSince = &one.FailingSince
		}
		out.Body.Hooks[i] = a
	}
	return out, nil
}

type removeHookInput struct {
	ID int64 `path:"id" doc:"The webhook."`
}

func (h *hooks) remove(ctx context.Context, in *removeHookInput) (*struct{}, error) {
	_, err := h.Hooks.Remove(ctx, h.actor(ctx), in.ID)
	return nil, err
}
