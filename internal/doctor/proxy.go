package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// proxy opens a stream through the public URL like a browser and checks that its lines arrive one by one: a
// proxy that buffers delivers them together, or never. Then it sends a form, and a large request of an application.
func (e *examination) proxy(ctx context.Context, cfg *config.Config, silence time.Duration) {
	if cfg.PublicURL == nil {
		e.note("proxy", "--public-url is not set", "set it to have a stream through the proxy tested")
		return
	}
	keys, err := cfg.SigningKeys()
	if err != nil {
		return // already reported by keys
	}
	s, err := readProbe(ctx, cfg.PublicURL, probeToken(keys[0], time.Now()), min(silence, maxSilence), cfg.Identity == nil)
	if err != nil && cfg.Identity != nil {
		e.note("proxy", "no stream through "+cfg.PublicURL.String()+" was tested: "+err.Error(), "the proxy requires a sign-in; check the bell of a signed-in user")
		return
	}
	if err != nil {
		e.faulty(err)
		return
	}
	if f := s.judge(cfg.PublicURL, cfg.Identity == nil); f != nil {
		e.faulty(f)
		return
	}
	if len(s.arrivals) > probeLines {
		e.ok("proxy", "a stream through %s arrives line by line (%s), also after %v of silence", cfg.PublicURL, s.proto, silence)
	} else {
		e.ok("proxy", "a stream through %s arrives line by line (%s)", cfg.PublicURL, s.proto)
	}
	if silence > 0 && len(s.arrivals) <= probeLines {
		e.fail("proxy", fmt.Sprintf("a stream through %s ends during a silence of %v", cfg.PublicURL, silence),
			"raise the proxy's read timeout above 25 s, the longest pause between two heartbeats (nginx: proxy_read_timeout; HAProxy: timeout server and timeout tunnel)")
	}
	e.forms(ctx, cfg)
	e.bodies(ctx, cfg.PublicURL)
}

func (e *examination) faulty(err error) {
	var f *fault
	if !errors.As(err, &f) {
		f = &fault{err.Error(), "see the log of the proxy"}
	}
	e.fail("proxy", f.found, f.advice)
}

// judge returns the proxy's changes to the stream that would break a browser, or nil.
func (s *stream) judge(public *url.URL, headers bool) error {
	const buffered = "switch buffering off for /events (nginx: proxy_buffering off, and no proxy_ignore_headers X-Accel-Buffering; see deploy/)"
	if len(s.arrivals) < probeLines {
		return &fault{fmt.Sprintf("a stream through %s ends after %d of %d lines (%v): the proxy holds it back or cuts it", public, len(s.arrivals), probeLines, s.cut), buffered}
	}
	if spread := s.arrivals[probeLines-1].Sub(s.arrivals[0]); spread < probePause {
		if encoding := s.header.Get("Content-Encoding"); encoding != "" {
			return &fault{
				fmt.Sprintf("a stream through %s arrives all at once: it is buffered in order to be compressed (%s)", public, encoding),
				"switch compression off for text/event-stream (nginx: leave it out of gzip_types), and buffering as well",
			}
		}
		return &fault{fmt.Sprintf("a stream through %s arrives all at once: it is buffered", public), buffered}
	}
	var missing []string
	if !s.arrived.Cookie {
		missing = append(missing, "Cookie")
	}
	if headers && !s.arrived.Authorization {
		missing = append(missing, "Authorization")
	}
	if len(missing) > 0 {
		return &fault{"the proxy drops the header " + strings.Join(missing, " and ") + " of requests", "have it pass on all headers: without Cookie nobody is signed in, and without Authorization no application"}
	}
	if s.header.Get("Set-Cookie") == "" {
		return &fault{"the proxy drops the header Set-Cookie of answers", "have it pass on all headers: without this one nobody can sign in"}
	}
	if !strings.Contains(s.header.Get("Cache-Control"), "no-store") {
		return &fault{"the proxy changes the header Cache-Control of answers: streams and pages may be cached, and shown to others", "have it pass on Cache-Control as it is"}
	}
	return nil
}

// forms sends an empty form through the public URL with the origin that a browser would send. It is rejected if the
// proxy passes on another host, or the server has the wrong public URL.
func (e *examination) forms(ctx context.Context, cfg *config.Config) {
	status, err := post(ctx, cfg.PublicURL, formPath, nil)
	switch {
	case err != nil:
		e.faulty(err)
	case status == http.StatusForbidden:
		e.fail("proxy", fmt.Sprintf("forms through %s are refused (403): the server considers them forms of another site", cfg.PublicURL),
			"have the proxy pass on the host (nginx: proxy_set_header Host $host), or start the server with this --public-url")
	case status == http.StatusNotFound: // by the pages: there is no such form
		e.ok("proxy", "forms through %s are accepted", cfg.PublicURL)
	default:
		e.note("proxy", fmt.Sprintf("a form through %s was answered with %d", cfg.PublicURL, status), "if it was the proxy that answered, have it forward POST")
	}
}

// largeBody is the longest request of an application, a batch of notices.
const largeBody = 8 << 20

// bodies sends a request of the maximum length. The server rejects it for its missing key, before it reads the body.
func (e *examination) bodies(ctx context.Context, public *url.URL) {
	status, err := post(ctx, public, "/api/v1/notices", bytes.Repeat([]byte(" "), largeBody))
	switch {
	case err != nil:
		e.note("proxy", "a request of 8 MiB got no answer: "+err.Error(), "applications that send large batches need bodies of 8 MiB below /api/")
	case status == http.StatusRequestEntityTooLarge:
		e.fail("proxy", "requests of 8 MiB are refused by the proxy (413)", "raise its limit for bodies below /api/ to 8 MiB (nginx: client_max_body_size 8m), or keep batches below it")
	default:
		e.ok("proxy", "requests of 8 MiB come through")
	}
}

// formPath is a path without a page. A form sent there has passed the check of its origin if the response is 404.
const formPath = "/doctor/form"

// post returns the status of the response to a form, or to a request with a body.
func post(ctx context.Context, public *url.URL, path string, body []byte) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, public.JoinPath(path).String(), bytes.NewReader(body))
	if err != nil {
		return 0, fmt.Errorf("send a form: %w", err)
	}
	req.Header.Set("Origin", public.Scheme+"://"+public.Host)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Expect", "100-continue") // so that a refusal arrives before the body is sent
	}
	res, err := through().Do(req)
	if err != nil {
		return 0, unreached(public, err)
	}
	return res.StatusCode, res.Body.Close()
}
