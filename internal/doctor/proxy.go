package doctor

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// proxy opens a real stream through the public URL and checks that its lines arrive one by one: a
// proxy that buffers delivers them together.
func (e *examination) proxy(ctx context.Context, cfg *config.Config) {
	if cfg.PublicURL == nil {
		e.note("proxy", "--public-url is not set", "set it to have a stream through the proxy tested")
		return
	}
	keys, err := cfg.SigningKeys()
	if err != nil {
		return // keys has reported it
	}
	arrivals, err := readProbe(ctx, cfg.PublicURL.String()+ProbePath+"?token="+probeToken(keys[0], time.Now()))
	if err != nil && cfg.Identity != nil {
		e.note("proxy", "no stream through "+cfg.PublicURL.String()+" was tested", "the proxy lets nobody through who is not signed in; look at the bell of somebody who is")
		return
	}
	if err != nil {
		e.fail("proxy", err.Error(), "check that the server runs, that the proxy forwards every path, and that both have the same --session-keys")
		return
	}
	first, last := arrivals[0], arrivals[len(arrivals)-1]
	if spread := last.Sub(first); spread < probePause {
		e.fail("proxy", fmt.Sprintf("a stream through %s arrives all at once: it is buffered", cfg.PublicURL),
			"switch buffering and compression off for /events (nginx: proxy_buffering off; see deploy/)")
		return
	}
	e.ok("proxy", "a stream through %s arrives line by line", cfg.PublicURL)
	e.forms(ctx, cfg)
}

// forms sends an empty form through the public URL with the origin that a browser would name. A proxy that passes on
// another host, or a server that does not know its public URL, has it refused.
func (e *examination) forms(ctx context.Context, cfg *config.Config) {
	status, err := sendForm(ctx, cfg.PublicURL)
	switch {
	case err != nil:
		e.fail("proxy", err.Error(), "check that the proxy forwards every method and every path")
	case status == http.StatusForbidden:
		e.fail("proxy", fmt.Sprintf("forms through %s are refused (403): the server takes them for forms of another site", cfg.PublicURL),
			"have the proxy pass on the host (nginx: proxy_set_header Host $host), or start the server with this --public-url")
	case status == http.StatusNotFound: // by the pages: there is no such form
		e.ok("proxy", "forms through %s are accepted", cfg.PublicURL)
	default:
		e.note("proxy", fmt.Sprintf("a form through %s was answered with %d", cfg.PublicURL, status), "if it was the proxy that answered, have it forward POST")
	}
}

// formPath is the path of no page. A form that is sent there has passed the check of its origin when nothing is found.
const formPath = "/doctor/form"

// sendForm returns the status with which a form is answered.
func sendForm(ctx context.Context, public *url.URL) (status int, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, public.JoinPath(formPath).String(), http.NoBody)
	if err != nil {
		return 0, fmt.Errorf("send a form: %w", err)
	}
	req.Header.Set("Origin", public.Scheme+"://"+public.Host)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return 0, fmt.Errorf("send a form: %w", err)
	}
	return res.StatusCode, res.Body.Close()
}

// readProbe returns when each line of the probe arrived.
func readProbe(ctx context.Context, url string) (arrivals []time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("request a stream: %w", err)
	}
	// A proxy may decide by this header whether to buffer; browsers send it for /events.
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		// The token must not be printed or logged.
		return nil, fmt.Errorf("open a stream: %s", strings.ReplaceAll(err.Error(), req.URL.RawQuery, "token=…"))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("open a stream: the answer is %s", res.Status)
	}
	for in := bufio.NewScanner(io.LimitReader(res.Body, 4096)); in.Scan(); {
		if strings.HasPrefix(in.Text(), ":") {
			arrivals = append(arrivals, time.Now())
		}
	}
	if len(arrivals) != probeLines {
		return nil, fmt.Errorf("read a stream: %d of %d lines arrived", len(arrivals), probeLines)
	}
	return arrivals, nil
}
