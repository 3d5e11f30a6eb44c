package api

import (
	"context"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// registerMeSnooze adds the calls that put a notice away for a while.
func registerMeSnooze(m *me) {
	tomorrow := rfc3339(m.Now().Add(24 * time.Hour).Truncate(time.Hour)) // an example must lie in the future
	register(m.server, call{
		id: "me-snooze", group: groupMe, method: http.MethodPost, path: mePath + "/snooze", user: true, status: http.StatusOK,
		summary:  "Snooze a notice",
		about:    "Puts a notice away until a time, at most 90 days from now; then it comes back, unread and on top. Until then GET /me/notices?filter=later lists it, and it counts nowhere. At most 50 notices are snoozed at a time. POST /me/restore undoes it. A newer notice with the same key takes its place. If the key is not in the inbox, the answer is 404. Otherwise it is the resulting badge.",
		examples: []example{{name: "until", summary: "Until a time", body: `{"key": "comment:photo_id:1", "until": "` + tomorrow + `"}`}},
	}, m.snooze)
	register(m.server, call{
		id: "me-wake", group: groupMe, method: http.MethodPost, path: mePath + "/wake", user: true, status: http.StatusOK,
		summary:  "Bring a snoozed notice back now",
		about:    "It comes back unread and on top, as it would at its time. If the key is not snoozed, the answer is 404. Otherwise it is the resulting badge.",
		examples: []example{{name: "key", summary: "One notice", body: `{"key": "comment:photo_id:1"}`}},
	}, m.wake)
}

type snoozeBody struct {
	Key   string `json:"key" minLength:"1" doc:"The key of the notice."`
	Until string `json:"until" doc:"When it comes back (RFC 3339): in the future, and at most 90 days from now."`
}

type snoozeInput struct{ Payload payload[snoozeBody] }

func (m *me) snooze(ctx context.Context, in *snoozeInput) (*badgeOutput, error) {
	body := &in.Payload.Value
	var bad notifier.InvalidError
	if body.Key == "" {
		bad.Add("key", notifier.CodeRequired, nil)
	}
	until := moment("until", body.Until, &bad)
	if body.Until == "" {
		bad.Add("until", notifier.CodeRequired, nil)
	}
	if err := bad.OrNil(); err != nil {
		return nil, err
	}
	if err := notifier.CheckSnooze(until, m.Now()); err != nil {
		return nil, err
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) { return m.Inbox.Snooze(ctx, seq, body.Key, until) })
}

type wakeBody struct {
	Key string `json:"key" minLength:"1" doc:"The key of the notice."`
}

type wakeInput struct{ Payload payload[wakeBody] }

func (m *me) wake(ctx context.Context, in *wakeInput) (*badgeOutput, error) {
	key := in.Payload.Value.Key
	if key == "" {
		return nil, invalidAt("body.key", notifier.CodeRequired, nil)
	}
	return m.change(ctx, func(seq int64) (notifier.Badge, error) { return m.Inbox.Wake(ctx, seq, key) })
}
