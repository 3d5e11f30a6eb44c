package api

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// registerMePresence adds the calls by which pages report that they are visible, and which toasts they
// have shown.
func registerMePresence(m *me) {
	register(m.server, call{
		id: "me-active", group: groupMe, method: http.MethodPost, path: mePath + "/active", user: true, status: http.StatusNoContent,
		summary:  "Say whether a page is visible",
		about:    "A toast goes to the device that you look at. Call this when a page with a stream becomes visible or hidden, and once a minute while it is visible.",
		examples: []example{{name: "visible", summary: "A page is visible", body: `{"visible": true}`}},
	}, m.active)
	register(m.server, call{
		id: "me-toasts-ack", group: groupMe, method: http.MethodPost, path: mePath + "/toasts/ack", user: true, status: http.StatusNoContent,
		summary:  "Acknowledge toasts that you have shown",
		about:    "No other device shows them then. A toast that nobody acknowledges goes to another connection after 10 seconds. Those that wait no longer are skipped.",
		examples: []example{{name: "ack", summary: "One toast", body: `{"ids": ["1763800000000-0"]}`}},
	}, m.ackToasts)
}

type activeBody struct {
	Visible bool `json:"visible" doc:"Whether a page is visible."`
}

type activeInput struct{ Payload payload[activeBody] }

func (m *me) active(ctx context.Context, in *activeInput) (*struct{}, error) {
	who := askerOf(ctx)
	return nil, m.People.Active(ctx, who.User.Seq, who.Session, in.Payload.Value.Visible)
}

type upToToasts struct{}

func (upToToasts) most() int { return notifier.MaxToastIDs }

type ackBody struct {
	IDs bounded[string, upToToasts] `json:"ids" minItems:"1" doc:"The IDs of the toasts."`
}

type ackInput struct{ Payload payload[ackBody] }

func (m *me) ackToasts(ctx context.Context, in *ackInput) (*struct{}, error) {
	ids, err := notifier.ParseToastIDs(strings.Join(in.Payload.Value.IDs, ","))
	if err != nil {
		return nil, invalidAt("body.ids", codeBadToast, nil)
	}
	if err := m.People.Ack(ctx, askerOf(ctx).User.Seq, ids); err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return nil, err
	}
	return &struct{}{}, nil
}
