package api

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/carillonhq/carillon/notifier"
)

// document returns the OpenAPI document without any operations, of an API below a path of its host.
func document(version, path string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Carillon", Version: version,
				Description: "Send notices and poll inboxes. Every call needs a key: `Authorization: Bearer ck_…`.",
				License:     &huma.License{Name: "Apache License 2.0", Identifier: "Apache-2.0"},
				Contact:     &huma.Contact{Name: "Carillon", URL: "https://github.com/carillonhq/carillon"},
			},
			Tags: []*huma.Tag{
				{Name: groupNotices, Description: "Send notices and toasts; look up, edit and retract notices."},
				{Name: groupAsks, Description: "Ask people, wait for the outcome, and withdraw questions."},
				{Name: groupUsers, Description: "The users and their inboxes."},
				{Name: groupReach, Description: "How people are told of what they have not read: by mail and on their devices."},
				{Name: groupTypes, Description: "What kinds of notices there are, and what applies to each."},
				{Name: groupApps, Description: "Host applications, whose users see notices on their own pages."},
				{Name: groupHooks, Description: "Addresses of other programs, which receive events."},
				{Name: groupMe, Description: "What users ask for themselves, from your pages."},
				{Name: groupSubscriptions, Description: "Which users and roles receive the notices of which topics."},
			},
			Servers: []*huma.Server{{URL: cmp.Or(path, "/")}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"key":  {Type: "http", Scheme: "bearer", Description: "A key made with `carillon key add`. Its scopes are send, read and admin; admin allows everything."},
					"user": {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "A token that your application signs for the user who is signed in there, with a key made by `carillon app add`."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}, // "json" is the format of problems
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{trim},

		RejectUnknownQueryParameters: true,
	}
}

// Document returns the OpenAPI document, as JSON, that the handler of New serves. It needs
// no database or Redis.
func Document(version string) ([]byte, error) {
	s, err := newServer(Config{Version: version})
	if err != nil {
		return nil, err
	}
	return s.documentJSON()
}

func (s *server) documentJSON() ([]byte, error) {
	b, err := json.Marshal(s.api.OpenAPI())
	if err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return b, nil
}

// described returns the description of a call in the document. OpenAPI has no scopes for
// security schemes of type http, so the text names the scope that a call needs.
func (c *call) described() string {
	if c.user {
		return c.about + "\n\nThe call is made with a token of a user."
	}
	need := fmt.Sprintf("The key needs the scope `%s`.", c.scope)
	if c.scope != notifier.ScopeAdmin {
		need = fmt.Sprintf("The key needs the scope `%s` or `%s`.", c.scope, notifier.ScopeAdmin)
	}
	if c.about == "" {
		return need
	}
	return c.about + "\n\n" + need
}

// forgetPatterns removes the descriptions of patterns from the document: JSON Schema has no
// such field. Huma has composed its messages from them by now.
func (s *server) forgetPatterns() {
	doc := s.api.OpenAPI()
	for schema := range maps.Values(doc.Components.Schemas.Map()) {
		forgetPattern(schema)
	}
	for _, c := range s.calls {
		for _, p := range s.operation(c.method, prefix+c.path).Parameters {
			forgetPattern(p.Schema)
		}
	}
}

func forgetPattern(of *huma.Schema) {
	if of == nil {
		return
	}
	of.PatternDescription = ""
	forgetPattern(of.Items)
	for _, inner := range slices.Concat(slices.Collect(maps.Values(of.Properties)), of.OneOf, of.AnyOf, of.AllOf) {
		forgetPattern(inner)
	}
}
