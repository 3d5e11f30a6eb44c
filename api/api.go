// Package api is the interface for other applications: they send notices, query their
// progress and poll inboxes. It speaks JSON over HTTP under /api/v1 and serves an OpenAPI
// document and a reference page for people. Each call declares the scope that its key must
// have. Every error is an RFC 9457 problem that names the faulty fields.
package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/carillonhq/carillon/views/locale"
)

// prefix is the path under which the API is served.
const prefix = "/api/v1"

// server registers the calls of the API and holds everything they work with.
type server struct {
	Config
	api  huma.API
	mux  *http.ServeMux
	ring *keyring

	texts *locale.Catalogue

	home   string // the origin of the public URL; empty: none is configured
	askers *askers
	room   *room

	buckets *buckets
	shown   *buckets // API keys that a web page has sent
	refused *refusedOrigins

	calls []call // in the order of registration
}

// New returns the handler for every address under /api/v1/.
func New(c Config) (http.Handler, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	return s.middleware(s.mux), nil
}

func newServer(c Config) (*server, error) {
	c.setDefaults()
	s := &server{Config: c, mux: http.NewServeMux(), room: newRoom(), buckets: newBuckets(c.Rate, limitWindow, c.Now), shown: newBuckets(1, time.Hour, c.Now)}
	s.refused = &refusedOrigins{log: c.Log, now: c.Now}
	s.ring = &keyring{keys: c.Store, log: c.Log, now: c.Now, changes: c.Tokens.Changes, held: map[string]*heldKey{}}
	var err error
	if s.texts, err = locale.New(); err != nil {
		return nil, fmt.Errorf("read the texts: %w", err)
	}
	if s.home, err = originOf(c.PublicURL); err != nil {
		return nil, fmt.Errorf("read the public URL: %w", err)
	}
	if s.askers, err = newAskers(s); err != nil {
		return nil, err
	}
	s.api = humago.New(s.mux, document(c.Version, c.Path))
	s.api.UseMiddleware(s.admit)
	registerNotices(s)
	registerWhy(s)
	registerAsks(s)
	registerToasts(s)
	registerTypes(s)
	registerApps(s)
	registerHooks(s)
	if err = registerUsers(s); err != nil {
		return nil, fmt.Errorf("prepare the calls about users: %w", err)
	}
	if err = s.addPages(); err != nil {
		return nil, fmt.Errorf("prepare the pages of the api: %w", err)
	}
	return s, nil
}

// maxFaults is the number of faults that a problem lists, and maxEcho the number of bytes
// of the request that each of them repeats.
const (
	maxFaults = 50
	maxEcho   = 100
)

// trim keeps a problem short, however long the request was, and gives Huma's problems a code.
func trim(c huma.Context, _ string, v any) (any, error) {
	p, ok := v.(*problem)
	if model, foreign := v.(*huma.ErrorModel); foreign { // made by Huma
		p, ok = newProblem(model.Status, "", model.Detail), true
		if model.Status != http.StatusUnprocessableEntity && len(model.Errors) == 1 { // of payload.Resolve
			p.Detail = "The " + model.Errors[0].Location + " " + model.Errors[0].Message + "."
		}
		for _, e := range model.Errors {
			p.Errors = append(p.Errors, fieldError{"", *e})
		}
	}
	if !ok {
		return v, nil
	}
	p.Errors = p.Errors[:min(len(p.Errors), maxFaults)]
	for i := range p.Errors {
		e := &p.Errors[i]
		explainParameter(c.Operation(), &e.ErrorDetail)
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
