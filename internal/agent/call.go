package agent

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	tries     = 5
	patience  = 90 * time.Second // for one try; the longest wait for a question is 20 s
	pauseMost = 30 * time.Second
	maxAnswer = 16 << 20 // bytes
)

// caller calls the API, again if the server is away or busy. A POST has one idempotency key for all its tries.
type caller struct{ to Config }

func (c *caller) post(ctx context.Context, path string, body json.RawMessage) (json.RawMessage, error) {
	return c.call(ctx, http.MethodPost, path, body, http.Header{"Idempotency-Key": {rand.Text()}, "Content-Type": {"application/json"}})
}

func (c *caller) get(ctx context.Context, path string) (json.RawMessage, error) {
	return c.call(ctx, http.MethodGet, path, nil, http.Header{})
}

func (c *caller) remove(ctx context.Context, path string) error {
	_, err := c.call(ctx, http.MethodDelete, path, nil, http.Header{})
	return err
}

func (c *caller) call(ctx context.Context, method, path string, body []byte, head http.Header) (text json.RawMessage, err error) {
	pause := time.Second
	for try := 1; ; try++ {
		var again bool
		var after time.Duration
		text, again, after, err = c.try(ctx, method, path, body, head)
		if err == nil || !again || try == tries {
			return text, err
		}
		wait := time.NewTimer(min(max(pause, after), pauseMost))
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return nil, ctx.Err()
		}
		pause *= 2
	}
}

// try makes one request. again reports whether another may succeed, not before after.
func (c *caller) try(ctx context.Context, method, path string, body []byte, head http.Header) (text json.RawMessage, again bool, after time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.to.URL.String(), "/")+"/api/v1"+path, bytes.NewReader(body))
	if err != nil {
		return nil, false, 0, err
	}
	r.Header = head.Clone()
	r.Header.Set("Authorization", "Bearer "+c.to.Key)
	r.Header.Set("Accept", "application/json")
	res, err := c.to.HTTP.Do(r)
	if err != nil {
		return nil, true, 0, err
	}
	defer func() { _ = res.Body.Close() }()
	text, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	switch {
	case err != nil:
		return nil, true, 0, fmt.Errorf("%s %s: %w", method, path, err)
	case res.StatusCode < http.StatusMultipleChoices:
		return text, false, 0, nil
	}
	switch res.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		seconds, _ := strconv.Atoi(res.Header.Get("Retry-After")) // absent or a date: 0
		again, after = true, time.Duration(seconds)*time.Second
	}
	return nil, again, after, errors.New(problemOf(res, text))
}

// problemOf returns what a model must know of a refusal: what was wrong, and with which field.
func problemOf(res *http.Response, text []byte) string {
	var p struct {
		Detail string `json:"detail"`
		Code   string `json:"code"`
		Errors []struct {
			Location string `json:"location"`
			Message  string `json:"message"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(text, &p); err != nil || p.Detail == "" {
		return fmt.Sprintf("the server answered %s: %.300s", res.Status, text)
	}
	lines := []string{fmt.Sprintf("%s (%s): %s", res.Status, p.Code, p.Detail)}
	for _, e := range p.Errors {
		lines = append(lines, strings.TrimPrefix(e.Location, "body.")+": "+e.Message)
	}
	return strings.Join(lines, "\n")
}
