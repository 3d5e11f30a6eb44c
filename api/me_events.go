package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// registerMeEvents adds the stream of the user who is asking.
func registerMeEvents(m *me) {
	register(m.server, call{
		id: "me-events", group: groupMe, method: http.MethodGet, path: mePath + "/events", user: true, status: http.StatusOK,
		summary: "Follow your badge and your inbox",
		about: "A stream of server-sent events, which begins with `badge`. `notice`, `changed`, `read`, `unread` and `removed` are about your inbox, " +
			"`announcement_read` and `announcement_unread` about announcements, `toast` is a message to show once, `connection` says whether events arrive, and `bye` asks to connect again.\n\n" +
			"The stream ends at most a minute after the token has expired. A token with the scope `read` gets no toasts.",
		examples: []example{{name: "follow", summary: "As a page that is visible", params: map[string]string{"visible": "1"}}},
	}, m.events)
	op := m.operation(http.MethodGet, prefix+mePath+"/events")
	op.Responses[strconv.Itoa(http.StatusOK)].Content = map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: huma.TypeString}}}
}

type eventsInput struct {
	Visible string `query:"visible" enum:"0,1" default:"0" doc:"1: a page is visible. Toasts go to a visible page."`
	Toasts  string `query:"toasts" enum:"0,1" default:"1" doc:"0: the page shows no toasts, so it gets none."`
	LanguageInput
	Zone string `query:"zone" doc:"The time zone of the browser, such as Asia/Tokyo. It counts for daily mails and quiet hours while you have chosen none. A name that is no zone is ignored."`
}

type eventsOutput struct{ Body func(huma.Context) }

func (m *me) events(ctx context.Context, in *eventsInput) (*eventsOutput, error) {
	who := askerOf(ctx)
	if in.Zone != "" && !who.ReadOnly() {
		who.User = m.People.SeeZone(ctx, who.User, in.Zone)
	}
	of := who.Stream(in.Visible == "1", in.Toasts == "1", m.Now())
	of.Somebody = m.texts.For(who.User.Locale, in.AcceptLanguage).T("inbox.somebody")
	return &eventsOutput{m.stream(who.Reader(), of)}, nil //nolint:contextcheck // huma calls the stream with the context of the request
}

// stream answers with an event stream.
func (m *me) stream(who notifier.Reader, of notifier.StreamOf) func(huma.Context) {
	return func(c huma.Context) {
		r, w := humago.Unwrap(c)
		if err := m.Stream.Serve(w, r, who, of); err != nil {
			m.refuse(c, err)
			return
		}
		web.Of(r.Context()).Status = http.StatusOK // the stream took over the connection, so no middleware recorded a status
	}
}
