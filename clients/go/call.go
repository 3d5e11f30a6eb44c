package carillon

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	patience     = 30 * time.Second
	longestPause = time.Minute // a longer Retry-After is the caller's to wait for
	maxAnswer    = 64 << 20    // bytes
)

// Error is a call that the server refused, or that a server or proxy on the way failed.
type Error struct {
	Status     int     // of HTTP
	Problem    Problem // what the server said; empty if it was another one
	RetryAfter time.Duration
}

// Error names the invalid fields.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(strconv.Itoa(e.Status) + " " + cmp.Or(e.Problem.Detail, http.StatusText(e.Status)))
	for _, field := range e.Problem.Errors {
		b.WriteString("; " + field.Location + ": " + field.Message)
	}
	return b.String()
}

// request is a call that can be made more than once.
type request struct {
	method, path string
	body         any
	once         string        // the Idempotency-Key
	longer       time.Duration // how long the server may wait
}

// result makes a call and decodes its response.
func result[T any](ctx context.Context, c *Client, r request, options ...Option) (T, error) {
	for _, o := range options {
		o(&r)
	}
	var to T
	err := c.call(ctx, &r, &to)
	return to, err
}

// call makes a call until it succeeds, a repetition cannot help, or it was repeated often enough.
func (c *Client) call(ctx context.Context, r *request, to any) error {
	var body []byte
	if r.body != nil {
		var err error
		if body, err = json.Marshal(r.body); err != nil {
			return fmt.Errorf("carillon: %s %s: %w", r.method, r.path, err)
		}
	}
	for n := 0; ; n++ {
		pause, err := c.try(ctx, r, body, to)
		if err == nil {
			return nil
		}
		err = fmt.Errorf("carillon: %s %s: %w", r.method, r.path, err)
		if pause < 0 || pause > longestPause || n >= c.retries {
			return err
		}
		if pause == 0 {
			pause = time.Duration(float64(500*time.Millisecond<<n) * (0.8 + 0.4*rand.Float64())) //nolint:gosec // spreads retries; predicting it has no benefit
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// try makes a call once. After an error it returns the time that the server asks to wait, 0 if it asks for none, or -1 if the call
// must not be repeated.
func (c *Client) try(ctx context.Context, r *request, body []byte, to any) (pause time.Duration, err error) {
	limited, cancel := context.WithTimeout(ctx, patience+r.longer)
	defer cancel()
	req, err := http.NewRequestWithContext(limited, r.method, c.url+r.path, bytes.NewReader(body))
	if err != nil {
		return -1, err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.once != "" {
		req.Header.Set("Idempotency-Key", r.once)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return -1, ctx.Err()
		}
		return 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return 0, err
	}
	if res.StatusCode < 200 || res.StatusCode > 299 {
		refused := &Error{Status: res.StatusCode}
		_ = json.Unmarshal(text, &refused.Problem) // a proxy answers something else
		if seconds, bad := strconv.Atoi(res.Header.Get("Retry-After")); bad == nil && seconds > 0 {
			refused.RetryAfter = time.Duration(seconds) * time.Second
		}
		switch res.StatusCode {
		case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return refused.RetryAfter, refused
		}
		return -1, refused
	}
	if to == nil || len(text) == 0 {
		return 0, nil
	}
	return 0, json.Unmarshal(text, to) // half a response is no JSON
}
