package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// proxy opens a real stream through the public address and looks whether its
// lines come one by one: a proxy that buffers delivers them together.
func (e *examination) proxy(ctx context.Context, cfg config) {
	if cfg.PublicURL == nil {
		e.note("proxy", "--public-url is not set", "set it to have the way through the proxy tried")
		return
	}
	keys, err := sessionKeys(cfg)
	if err != nil {
		return // said above
	}
	arrivals, err := readProbe(ctx, cfg.PublicURL.String()+probePath+"?token="+probeToken(keys[0], time.Now()))
	if err != nil {
		e.fail("proxy", err.Error(), "is the server running, does the proxy pass every path on, and have both the same --session-keys?")
		return
	}
	first, last := arrivals[0], arrivals[len(arrivals)-1]
	if spread := last.Sub(first); spread < probePause {
		e.fail("proxy", fmt.Sprintf("a stream through %s comes all at once: it is buffered", cfg.PublicURL),
			"switch buffering and compression off for /events (nginx: proxy_buffering off; see deploy/)")
		return
	}
	e.ok("proxy", "a stream through %s comes line by line", cfg.PublicURL)
}

// readProbe returns when each line of the probe arrived.
func readProbe(ctx context.Context, url string) (arrivals []time.Time, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("ask for a stream: %w", err)
	}
	// As a browser asks for /events: a proxy may decide by it.
	req.Header.Set("Accept", "text/event-stream")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		// The token in the URL is no news and no business of a log.
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
		return nil, fmt.Errorf("read a stream: %d of %d lines came", len(arrivals), probeLines)
	}
	return arrivals, nil
}
