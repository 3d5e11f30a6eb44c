package api

import (
	"context"
	"net/http"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/static"
)

// maxLooks is the maximum number of types in a call.
const maxLooks = 100

// meLooks answers how types look.
type meLooks struct {
	*me
	icons map[string]string // path data by name
}

// registerMeLooks adds the call below /me/looks.
func registerMeLooks(m *me) {
	register(m.server, call{
		id: "me-looks", group: groupMe, method: http.MethodGet, path: mePath + "/looks", user: true, status: http.StatusOK,
		summary:  "Get the icons of types",
		about:    "The icon and the color of each of these types: what staff chose, otherwise what the words of the type give. With the `ETag` as `If-None-Match`, the answer is 304 if nothing has changed.",
		also:     []int{http.StatusNotModified},
		examples: []example{{name: "looks", summary: "Two types", params: map[string]string{"type": "comment,salary_run"}}},
	}, (&meLooks{m, static.Icons()}).looks)
}

type meLooksInput struct {
	Type        string `query:"type" required:"true" doc:"The types: up to 100, separated by commas."`
	IfNoneMatch string `header:"If-None-Match" doc:"ETag of an earlier answer. If it is still current, the answer is 304 without a body."`
}

type meLooksAnswer struct {
	Looks map[string]meLook `json:"looks" nullable:"false" doc:"The icons and colors by type."`
}

// meLook is how the rows of a type look.
type meLook struct {
	Icon  string `json:"icon,omitempty" doc:"The SVG path data of the icon, 24 by 24, to be drawn with a stroke. Left out if the type has none: show its first letters."`
	Color string `json:"color" enum:"amber,blue,green,red,purple,teal,pink,gray" doc:"The color of the icon."`
}

func (m *meLooks) looks(_ context.Context, in *meLooksInput) (*tagged[meLooksAnswer], error) {
	var bad notifier.InvalidError
	types := typesIn(in.Type, maxLooks, &bad)
	if len(bad.Fields) > 0 {
		return nil, invalid(&bad, func(field string) string { return "query." + field })
	}
	looks := make(map[string]meLook, len(types))
	for _, typ := range types {
		look := m.Topics.Look(typ)
		looks[typ] = meLook{m.icons[look.Icon], look.Tint}
	}
	return tag(&meLooksAnswer{looks}, in.IfNoneMatch)
}
