// Package api is how other applications send, look and poll: JSON over HTTP under
// /api/v1, described by an OpenAPI document that it serves beside a page for people.
// Each call names the scope that a key needs for it; every error is a problem of
// RFC 9457 that says which field is wrong.
package api

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
)

// prefix is where the API is.
const prefix = "/api/v1"

// server is the API in the making, and what its calls work with.
type server struct {
	Config
	api  huma.API
	mux  *http.ServeMux
	ring *keyring

	calls []call // in the order of their registration
}

// New returns what serves every address under /api/v1/.
func New(c Config) (http.Handler, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return s.middleware(s.mux), nil
}

func newServer(c Config) (*server, error) {
	c.setDefaults()
	s := &server{Config: c, mux: http.NewServeMux()}
	s.ring = &keyring{keys: c.Keys, log: c.Log, now: c.Now, held: map[string]*heldKey{}}
	s.api = humago.New(s.mux, document(c.Version))
	s.api.UseMiddleware(s.admit)
	registerNotices(s)
	registerToasts(s)
	if err := registerUsers(s); err != nil {
		return nil, fmt.Errorf("prepare the calls about users: %w", err)
	}
	if err := s.addPages(); err != nil {
		return nil, fmt.Errorf("prepare the pages of the api: %w", err)
	}
	return s, nil
}

// document is what the OpenAPI document begins with.
func document(version string) huma.Config {
	return huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Carillon", Version: version,
				Description: "Send notices, and poll inboxes. Every call needs a key: `Authorization: Bearer ck_…`.",
			},
			Servers: []*huma.Server{{URL: "/"}},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"key": {Type: "http", Scheme: "bearer", Description: "A key of `carillon key add`. Its scopes are send, read and admin; admin allows all."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat}, // the second is that of problems
		DefaultFormat: "application/json",
		Transformers:  []huma.Transformer{trim},

		RejectUnknownQueryParameters: true,
	}
}

// maxFaults is how many faults a problem lists, and maxEcho how many bytes of what
// was sent each of them shows back.
const (
	maxFaults = 50
	maxEcho   = 100
)

// trim keeps problems short, however long the request was.
func trim(_ huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	p.Errors = p.Errors[:min(len(p.Errors), maxFaults)]
	for _, e := range p.Errors {
		if len(e.Location) > maxEcho {
			e.Location = strings.ToValidUTF8(e.Location[:maxEcho], "") + "…"
		}
		switch value := e.Value.(type) {
		case string:
			if len(value) > maxEcho {
				e.Value = nil
			}
		case bool, float64, int64, int:
		default:
			e.Value = nil
		}
	}
	return p, nil
}
