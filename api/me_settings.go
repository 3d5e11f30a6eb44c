package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// registerMeSettings adds the calls about the settings, mutes and subscriptions of the user who is
// asking.
func registerMeSettings(m *me) {
	register(m.server, call{
		id: "me-settings", group: groupMe, method: http.MethodGet, path: mePath + "/settings", user: true, status: http.StatusOK,
		summary:  "Get your settings",
		examples: []example{{name: "settings", summary: "Your settings"}},
	}, m.settings)
	register(m.server, call{
		id: "me-settings-change", group: groupMe, method: http.MethodPatch, path: mePath + "/settings", user: true, status: http.StatusOK,
		summary:  "Change your settings",
		about:    "Fields that the body leaves out stay as they are. The answer is the resulting settings.",
		examples: []example{{name: "toasts", summary: "Switch toasts off", body: `{"toasts": false}`}},
	}, m.changeSettings)
	register(m.server, call{
		id: "me-mute", group: groupMe, method: http.MethodPut, path: mePath + "/mutes/{type}", user: true, status: http.StatusNoContent,
		summary:  "Mute a type of notice",
		about:    "Notices of this type no longer come to you, and those in your inbox stay. A type that cannot be muted is refused with 422. Repeating the call changes nothing.",
		examples: []example{{name: "mute", summary: "Mute likes", params: map[string]string{"type": "like"}}},
	}, m.mute)
	register(m.server, call{
		id: "me-unmute", group: groupMe, method: http.MethodDelete, path: mePath + "/mutes/{type}", user: true, status: http.StatusNoContent,
		summary:  "Unmute a type of notice",
		about:    "Repeating the call changes nothing.",
		examples: []example{{name: "unmute", summary: "Unmute likes", params: map[string]string{"type": "like"}}},
	}, m.unmute)
	register(m.server, call{
		id: "me-subscribe", group: groupMe, method: http.MethodPut, path: mePath + "/subscriptions", user: true, status: http.StatusNoContent,
		summary:  "Subscribe to a topic",
		about:    "Only types that are open to users can be subscribed to; any other is refused with 403. Repeating the call changes nothing.",
		errors:   []int{http.StatusForbidden},
		examples: []example{{name: "news", summary: "Subscribe to news", body: `{"type": "news"}`}},
	}, m.subscribeSelf)
	register(m.server, call{
		id: "me-unsubscribe", group: groupMe, method: http.MethodDelete, path: mePath + "/subscriptions", user: true, status: http.StatusNoContent,
		summary:  "End your subscription to a topic",
		about:    "A subscription that staff made, to a type that cannot be muted, stays and is refused with 403. Repeating the call changes nothing.",
		errors:   []int{http.StatusForbidden},
		examples: []example{{name: "news", summary: "End the subscription to news", body: `{"type": "news"}`}},
	}, m.unsubscribeSelf)
}

// meSettings are the settings of the user who is asking.
type meSettings struct {
	Locale  string `json:"locale" doc:"Your language (BCP 47). Empty: the browser's."`
	Theme   string `json:"theme" enum:",light,dark" doc:"Empty: the system's."`
	Keys    bool   `json:"keys" doc:"Keyboard shortcuts are on."`
	Toasts  bool   `json:"toasts" doc:"Toasts are on."`
	Opening bool   `json:"opening_reads" doc:"Opening the inbox marks everything in it as read."`
	Compact bool   `json:"compact" doc:"Rows have one line of text."`
}

func newMeSettings(s notifier.Settings) meSettings {
	return meSettings{Locale: s.Locale, Theme: s.Theme, Keys: !s.KeysOff, Toasts: !s.ToastsOff, Opening: !s.OpensOnly, Compact: s.Compact}
}

type settingsOutput struct{ Body meSettings }

func (m *me) settings(ctx context.Context, _ *struct{}) (*settingsOutput, error) {
	return &settingsOutput{newMeSettings(askerOf(ctx).User.Settings)}, nil
}

// settingsBody changes settings. A missing field leaves a setting as it is.
type settingsBody struct {
	Locale  *string `json:"locale,omitempty" nullable:"false" doc:"Your language: en, ja, zh-Hans, zh-Hant, or empty for the browser's."`
	Theme   *string `json:"theme,omitempty" enum:",light,dark" nullable:"false" doc:"Empty: the system's."`
	Keys    *bool   `json:"keys,omitempty" nullable:"false" doc:"Keyboard shortcuts on or off."`
	Toasts  *bool   `json:"toasts,omitempty" nullable:"false" doc:"Toasts on or off."`
	Opening *bool   `json:"opening_reads,omitempty" nullable:"false" doc:"Whether opening the inbox marks everything in it as read."`
	Compact *bool   `json:"compact,omitempty" nullable:"false" doc:"Whether rows have one line of text."`
}

type settingsInput struct{ Payload payload[settingsBody] }

func (m *me) changeSettings(ctx context.Context, in *settingsInput) (*settingsOutput, error) {
	who, body := askerOf(ctx), &in.Payload.Value
	var languages []string
	for _, p := range m.texts.Printers() {
		languages = append(languages, p.Lang())
	}
	set := notifier.PutSettings{Locale: body.Locale, Theme: body.Theme, KeysOff: off(body.Keys), ToastsOff: off(body.Toasts), OpensOnly: off(body.Opening), Compact: body.Compact}
	var bad notifier.InvalidError
	choose(body.Locale, "locale", languages, &bad)
	choose(body.Theme, "theme", []string{notifier.ThemeLight, notifier.ThemeDark}, &bad)
	if err := bad.OrNil(); err != nil {
		return nil, err
	}
	has, err := m.People.SetSettings(ctx, who.User.Seq, set)
	if err != nil {
		return nil, err
	}
	return &settingsOutput{newMeSettings(has)}, nil
}

// off inverts a switch; nil stays nil.
func off(on *bool) *bool {
	if on == nil {
		return nil
	}
	return new(!*on)
}

// choose checks that a value is empty or one of these.
func choose(given *string, field string, allowed []string, bad *notifier.InvalidError) {
	if given != nil && *given != "" && !slices.Contains(allowed, *given) {
		bad.Add(field, notifier.CodeBadChoice, map[string]any{"Allowed": strings.Join(allowed, ", ")})
	}
}

type muteInput struct {
	Type string `path:"type" maxLength:"63" doc:"The type."`
}

func (m *me) mute(ctx context.Context, in *muteInput) (*struct{}, error) {
	return nil, m.setMute(ctx, in.Type, true)
}

func (m *me) unmute(ctx context.Context, in *muteInput) (*struct{}, error) {
	return nil, m.setMute(ctx, in.Type, false)
}

func (m *me) setMute(ctx context.Context, typ string, muted bool) error {
	err := m.People.SetMute(ctx, askerOf(ctx).User.Seq, typ, muted)
	if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) {
		return invalid(bad, func(field string) string { return "path." + field })
	}
	return err
}

type ownTopicBody struct {
	Type  string `json:"type" pattern:"^[a-z0-9][a-z0-9_.-]{0,62}$" patternDescription:"a type" doc:"The topic's type."`
	Scope string `json:"scope,omitempty" pattern:"^[A-Za-z0-9_.-]{0,64}$" patternDescription:"a scope" doc:"The topic's scope, such as a warehouse."`
}

type ownTopicInput struct{ Payload payload[ownTopicBody] }

func (m *me) subscribeSelf(ctx context.Context, in *ownTopicInput) (*struct{}, error) {
	return nil, m.setSubscribed(ctx, in, true, "Users cannot subscribe to this type themselves.")
}

func (m *me) unsubscribeSelf(ctx context.Context, in *ownTopicInput) (*struct{}, error) {
	return nil, m.setSubscribed(ctx, in, false, "Users cannot end a subscription to this type themselves.")
}

func (m *me) setSubscribed(ctx context.Context, in *ownTopicInput, on bool, refusal string) error {
	topic := notifier.Topic{Type: in.Payload.Value.Type, Scope: in.Payload.Value.Scope}
	err := m.Topics.SubscribeSelf(ctx, askerOf(ctx).User, topic, on)
	if errors.Is(err, notifier.ErrForbidden) {
		return newProblem(http.StatusForbidden, "type_closed", refusal)
	}
	return err
}
