package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// registerMeSessions adds the calls about the sessions and the password of the user who is asking.
func registerMeSessions(m *me) {
	register(m.server, call{
		id: "me-sessions", group: groupMe, method: http.MethodGet, path: mePath + "/sessions", user: true, status: http.StatusOK,
		summary:  "List your sessions",
		about:    "The browsers in which you are signed in to Carillon itself, the one seen last first. Users whom an app or a proxy signs in have none.",
		examples: []example{{name: "sessions", summary: "Your sessions"}},
	}, m.sessions)
	register(m.server, call{
		id: "me-session-end", group: groupMe, method: http.MethodDelete, path: mePath + "/sessions/{id}", user: true, status: http.StatusNoContent,
		summary:  "End one of your sessions",
		about:    "Its pages and streams end at once, and its browser shows no more pushes. An id that is not of a session of yours is answered with 404.",
		examples: []example{{name: "unknown", summary: "A session that has ended", params: map[string]string{"id": "0123456789abcdef"}, status: http.StatusNotFound}},
	}, m.endSession)
	register(m.server, call{
		id: "me-password", group: groupMe, method: http.MethodPost, path: mePath + "/password", user: true, status: http.StatusNoContent,
		summary: "Change your password",
		about: "For a session that began with a password; the answer sets its new cookie. All other sessions and their devices end. A wrong `current` is answered with 422, and counts as a failed sign-in. " +
			"Everybody else is answered with 403 and the code `no_password`.",
		examples: []example{{
			name: "password", summary: "Only a session has a password", body: `{"current": "correct horse", "password": "battery staple"}`, status: http.StatusForbidden,
		}},
	}, m.changePassword)
}

type ownSession struct {
	ID        string `json:"id" doc:"Identifies the session in this list. It is no secret."`
	Browser   string `json:"browser" doc:"The browser's name, such as Firefox. Empty: unknown."`
	System    string `json:"system" doc:"The system's name, such as Windows. Empty: unknown."`
	CreatedAt string `json:"created_at" format:"date-time" doc:"When you signed in."`
	SeenAt    string `json:"seen_at" format:"date-time" doc:"When it was last used, within some minutes."`
	Current   bool   `json:"current" doc:"It makes this call."`
}

type ownSessionsAnswer struct {
	Sessions []ownSession `json:"sessions" nullable:"false" doc:"Your sessions, at most 50."`
}

type ownSessionsOutput struct{ Body ownSessionsAnswer }

func (m *me) sessions(ctx context.Context, _ *struct{}) (*ownSessionsOutput, error) {
	who := askerOf(ctx)
	all, err := m.Accounts.OwnSessions(ctx, who.User.Seq)
	if err != nil {
		return nil, err
	}
	a := ownSessionsAnswer{Sessions: make([]ownSession, len(all))}
	for i := range all {
		o := &all[i]
		browser, system := notifier.ReadAgent(o.Agent)
		a.Sessions[i] = ownSession{o.ID, browser, system, rfc3339(o.Since), rfc3339(o.Seen), o.Session == who.Session}
	}
	return &ownSessionsOutput{a}, nil
}

type ownSessionInput struct {
	ID string `path:"id" maxLength:"64" doc:"The id of a session in the list."`
}

func (m *me) endSession(ctx context.Context, in *ownSessionInput) (*struct{}, error) {
	u := askerOf(ctx).User
	return nil, m.Accounts.EndSession(ctx, notifier.Actor{Ref: notifier.UserRef(u), Address: web.Of(ctx).Address}, u, in.ID)
}

type passwordBody struct {
	Current  string `json:"current" maxLength:"200" doc:"Your password now."`
	Password string `json:"password" doc:"Your password from now on: 8 to 200 bytes."`
}

type passwordInput struct{ Payload payload[passwordBody] }

type passwordOutput struct {
	Cookies []http.Cookie `header:"Set-Cookie" doc:"The cookies of the session, which go on with it."`
}

func (m *me) changePassword(ctx context.Context, in *passwordInput) (*passwordOutput, error) {
	made := userCallOf(ctx)
	body := &in.Payload.Value
	cookies, err := m.Accounts.ChangePassword(made.request.WithContext(ctx), made.asker, web.Of(ctx).Address, body.Current, body.Password)
	if errors.Is(err, notifier.ErrNoPassword) {
		return nil, newProblem(http.StatusForbidden, "no_password", "Only a session that began with a password can change it.")
	}
	if err != nil {
		return nil, err
	}
	out := &passwordOutput{}
	for _, c := range cookies {
		out.Cookies = append(out.Cookies, *c)
	}
	return out, nil
}
