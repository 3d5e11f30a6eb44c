package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

const (
	groupReach       = "Reach"
	preferencesPath  = userPath + "/preferences"
	mePreferences    = mePath + "/preferences"
	preferencesAbout = "When the user is told by mail and by push of what is unread, and of which types. `when` is `off`, or how long a notice is unread before they are told, " +
		"from `0s` to `24h`; mails can be `daily`, at `at`. From `quiet.from` to `quiet.to`, clocks of `zone`, and until `paused_until`, only urgent types are told."
	replaceAbout = "Each field at the top level that the body names is replaced as a whole; the others stay. In `types`, what is left out is as the type's default. " +
		"Either everything is changed or nothing. What quiet hours or a pause held back is looked at again at once."
)

type upToTypes struct{}

func (upToTypes) most() int { return notifier.MaxTypeWants }

// registerPreferences adds the calls about preferences, of any user for keys.
func registerPreferences(u *users) {
	register(u.server, call{
		id: "get-preferences", group: groupReach, method: http.MethodGet, path: preferencesPath, scope: notifier.ScopeRead, status: http.StatusOK,
		summary: "Get a user's preferences", about: preferencesAbout,
		errors:   []int{http.StatusNotFound},
		examples: []example{{name: "carol", summary: "How Carol is told", params: map[string]string{"name": "carol"}}},
	}, func(ctx context.Context, in *userInput) (*preferencesOutput, error) {
		p, err := u.People.Preferences(ctx, in.Name)
		return u.preferencesOf(&p), err
	})
	register(u.server, call{
		id: "put-preferences", group: groupReach, method: http.MethodPut, path: preferencesPath, scope: notifier.ScopeAdmin, status: http.StatusOK,
		summary: "Change a user's preferences", about: preferencesAbout + " " + replaceAbout,
		errors: []int{http.StatusNotFound},
		examples: []example{{
			name: "carol", summary: "Carol gets mail after half an hour, but not at night", params: map[string]string{"name": "carol"},
			body: `{"mail": {"when": "30m"}, "quiet": {"from": "22:00", "to": "07:00"}, "zone": "Asia/Tokyo"}`,
		}},
	}, func(ctx context.Context, in *putPreferencesInput) (*preferencesOutput, error) {
		return u.putPreferences(ctx, u.actor(ctx), in.Name, &in.Payload.Value)
	})
}

// registerMePreferences adds the calls about the preferences of the user who is asking.
func registerMePreferences(m *me) {
	register(m.server, call{
		id: "me-preferences", group: groupMe, method: http.MethodGet, path: mePreferences, user: true, status: http.StatusOK,
		summary: "Get your preferences", about: preferencesAbout,
		examples: []example{{name: "preferences", summary: "How you are told"}},
	}, func(ctx context.Context, _ *struct{}) (*preferencesOutput, error) {
		p, err := m.People.Preferences(ctx, askerOf(ctx).User.Name)
		return m.preferencesOf(&p), err
	})
	register(m.server, call{
		id: "me-preferences-change", group: groupMe, method: http.MethodPut, path: mePreferences, user: true, status: http.StatusOK,
		summary: "Change your preferences", about: preferencesAbout + " " + replaceAbout,
		examples: []example{
			{name: "daily", summary: "One mail a day, at 8", body: `{"mail": {"when": "daily", "at": "08:00"}}`},
			{name: "likes", summary: "No mail about likes", body: `{"types": {"like": {"mail": false}}}`},
			{name: "loud", summary: "No quiet hours", body: `{"quiet": null}`},
		},
	}, func(ctx context.Context, in *ownPreferencesInput) (*preferencesOutput, error) {
		u := askerOf(ctx).User
		return m.putPreferences(ctx, notifier.Actor{Ref: notifier.UserRef(u)}, u.Name, &in.Payload.Value)
	})
}

type putPreferencesInput struct {
	Name    string `path:"name" doc:"The name of the user."`
	Payload payload[preferencesBody]
}

type ownPreferencesInput struct{ Payload payload[preferencesBody] }

// mailWhenBody is when mails are sent.
type mailWhenBody struct {
	When string `json:"when" doc:"off, daily, or a duration up to 24h such as 30m."`
	At   string `json:"at,omitempty" doc:"When daily mails are sent, HH:MM in the user's zone; empty: 08:00."`
}

type pushWhenBody struct {
	When string `json:"when" doc:"off, or a duration up to 24h such as 0s."`
}

type quietBody struct {
	From string `json:"from" doc:"When the quiet hours begin, HH:MM."`
	To   string `json:"to" doc:"When they end; the next day if it is before from."`
}

// wantsBody is the channels by which a user is notified of a type. A missing member is the type's default.
type wantsBody struct {
	Inbox *bool `json:"inbox,omitempty" nullable:"false" doc:"Notices of the type come to the inbox; false mutes it."`
	Push  *bool `json:"push,omitempty" nullable:"false" doc:"Told on devices."`
	Mail  *bool `json:"mail,omitempty" nullable:"false" doc:"Told by mail."`
}

// preferencesBody holds the preferences to replace.
type preferencesBody struct {
	Mail        *mailWhenBody                `json:"mail,omitempty" nullable:"false" doc:"When the user gets mail."`
	Push        *pushWhenBody                `json:"push,omitempty" nullable:"false" doc:"When the user's devices are told."`
	Quiet       nullable[quietBody]          `json:"quiet,omitzero" doc:"Hours in which only urgent types are told; null: none."`
	Zone        *string                      `json:"zone,omitempty" nullable:"false" doc:"An IANA time zone, such as Asia/Tokyo. Empty: none is chosen, and that of the browser counts."`
	PausedUntil nullable[string]             `json:"paused_until,omitzero" doc:"Until then, only urgent types are told (RFC 3339); null: no pause."`
	Types       *keyed[wantsBody, upToTypes] `json:"types,omitempty" nullable:"false" doc:"What the user has chosen for types."`
	InForce     *inForce                     `json:"in_force,omitempty" nullable:"false" doc:"Ignored: a body may be an answer of GET."`
}

// read returns the changes that the body asks for, and its faults.
func (b *preferencesBody) read() (set notifier.PutPreferences, bad notifier.InvalidError) {
	when := func(field, text string) *notifier.When {
		w, ok := notifier.ParseWhen(text)
		if !ok {
			bad.Add(field, notifier.CodeBadWhen, nil)
		}
		return &w
	}
	minute := func(field, text string) int {
		m, ok := notifier.ParseMinute(text)
		if !ok {
			bad.Add(field, notifier.CodeBadMinute, nil)
		}
		return m
	}
	if b.Mail != nil {
		set.Mail, set.MailAt = when("mail.when", b.Mail.When), new(notifier.DefaultMailAt)
		if b.Mail.At != "" {
			set.MailAt = new(minute("mail.at", b.Mail.At))
		}
	}
	if b.Push != nil {
		set.Push = when("push.when", b.Push.When)
	}
	if set.SetQuiet = b.Quiet.Given; b.Quiet.Value != nil {
		q := b.Quiet.Value
		if q.From == "" || q.To == "" {
			bad.Add("quiet", notifier.CodeHalfQuiet, nil)
		} else {
			set.Quiet = &notifier.Quiet{From: minute("quiet.from", q.From), To: minute("quiet.to", q.To)}
		}
	}
	set.Zone = b.Zone
	if b.PausedUntil.Given {
		set.PausedUntil = new(time.Time)
		if text := b.PausedUntil.Value; text != nil {
			at, err := time.Parse(time.RFC3339, *text)
			if err != nil || at.Year() < 1970 || at.Year() > 9999 {
				bad.Add("paused_until", codeBadTime, nil)
			}
			set.PausedUntil = &at
		}
	}
	if b.Types != nil {
		set.Types = map[string]notifier.TypeWants{}
		for typ, w := range *b.Types {
			set.Types[typ] = notifier.TypeWants(w)
		}
	}
	return set, bad
}

func (u *users) putPreferences(ctx context.Context, by notifier.Actor, name string, body *preferencesBody) (*preferencesOutput, error) {
	set, bad := body.read()
	if err := bad.OrNil(); err != nil {
		return nil, err
	}
	p, err := u.People.SetPreferences(ctx, by, name, set)
	return u.preferencesOf(&p), err
}

type preferencesOutput struct{ Body preferencesAnswer }

type preferencesAnswer struct {
	Mail        mailWhenBody         `json:"mail" doc:"When the user gets mail."`
	Push        pushWhenBody         `json:"push" doc:"When the user's devices are told."`
	Quiet       *quietAnswer         `json:"quiet" doc:"Hours in which only urgent types are told; null: none."`
	Zone        string               `json:"zone" doc:"The time zone that the user has chosen. Empty: none."`
	PausedUntil *string              `json:"paused_until" format:"date-time" doc:"Until then, only urgent types are told; null: no pause."`
	Types       map[string]wantsBody `json:"types" doc:"What the user has chosen for types."`
	InForce     inForce              `json:"in_force" doc:"What counts, as far as it was not chosen."`
}

// inForce is what counts for a user who has not chosen.
type inForce struct {
	Zone       string                         `json:"zone" doc:"The time zone that counts."`
	ZoneFrom   notifier.ZoneFrom              `json:"zone_from" enum:"chosen,browser,installation" doc:"Who says so: the user, their browser or app, or the installation."`
	MailChosen bool                           `json:"mail_chosen" doc:"The user has chosen when they get mail. Otherwise mail is the installation's default, and follows it."`
	Mail       bool                           `json:"mail" doc:"This installation sends mail. Otherwise what is chosen about mail has no effect."`
	Push       bool                           `json:"push" doc:"This installation tells devices. Otherwise what is chosen about push has no effect."`
	Types      keyed[typeDefaults, upToTypes] `json:"types" doc:"What counts for types that the user has not chosen for: at most the first 200 types that are known."`
}

// typeDefaults is what counts for a type for users who have not chosen.
type typeDefaults struct {
	Inbox   bool `json:"inbox" doc:"Its notices come to the inbox."`
	Push    bool `json:"push" doc:"Told on devices."`
	Mail    bool `json:"mail" doc:"Told by mail."`
	Mutable bool `json:"mutable" doc:"The user may mute it: choose inbox false."`
	Urgent  bool `json:"urgent" doc:"Told in quiet hours and in a pause, too."`
}

// quietAnswer is quietBody where it may be null.
type quietAnswer quietBody

// Schema describes the hours in the document.
func (quietAnswer) Schema(r huma.Registry) *huma.Schema { return nullable[quietBody]{}.Schema(r) }

func (u *users) preferencesOf(p *notifier.Preferences) *preferencesOutput {
	a := preferencesAnswer{
		Mail: mailWhenBody{When: p.Mail.String(), At: notifier.FormatMinute(p.MailAt)}, Push: pushWhenBody{When: p.Push.String()},
		Zone: p.Zone, Types: map[string]wantsBody{},
		InForce: inForce{Zone: p.InForce, ZoneFrom: p.ZoneFrom, MailChosen: p.MailChosen, Mail: u.Mailing, Push: u.Pushing},
	}
	if q := p.Quiet; q != nil {
		a.Quiet = &quietAnswer{From: notifier.FormatMinute(q.From), To: notifier.FormatMinute(q.To)}
	}
	if !p.PausedUntil.IsZero() {
		until := rfc3339(p.PausedUntil)
		a.PausedUntil = &until
	}
	for typ, w := range p.Types {
		a.Types[typ] = wantsBody(w)
	}
	all := u.Topics.Types()
	a.InForce.Types = make(keyed[typeDefaults, upToTypes], len(all))
	for _, t := range all[:min(len(all), notifier.MaxTypeWants)] {
		a.InForce.Types[t.Slug] = typeDefaults{Inbox: true, Push: !t.NoPush, Mail: !t.NoMail, Mutable: !t.NoMute, Urgent: t.Urgent}
	}
	return &preferencesOutput{a}
}
