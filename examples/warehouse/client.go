package main

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// patience limits the wait for an expected response.
const patience = 30 * time.Second

// poll is the answer to a poll.
type poll struct {
	Unread  int64    `xml:"unread"`
	Newest  int64    `xml:"newest"`
	Notices []notice `xml:"notices>notice"`

	text string // the answer as received
}

type notice struct {
	Key    string `xml:"key"`
	Title  string `xml:"title"`
	Reason string `xml:"reason"`
}

// poll polls a user's notices about a warehouse since an earlier poll, in XML.
func (s *server) poll(ctx context.Context, user, warehouse string, since int64) (poll, error) {
	var p poll
	path := "/api/v1/users/" + url.PathEscape(user) + "/notices?scope=" + url.QueryEscape(warehouse)
	if since > 0 {
		path += "&since=" + strconv.FormatInt(since, 10)
	}
	answer, err := s.call(ctx, http.MethodGet, path, nil)
	if err != nil {
		return p, err
	}
	p.text = string(answer)
	return p, xml.Unmarshal(answer, &p)
}

// await polls for the warehouse of the story until ok accepts the response.
func (s *server) await(ctx context.Context, user string, since int64, what string, ok func(poll) bool) (poll, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, patience, fmt.Errorf("not within %[3]v for %[1]s: %[2]s", user, what, patience))
	defer cancel()
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		p, err := s.poll(ctx, user, warehouse, since)
		if err == nil && ok(p) {
			return p, nil
		}
		if err != nil && ctx.Err() == nil {
			return p, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return p, context.Cause(ctx)
		}
	}
}

// call sends a request with the application's key and returns the body of the answer.
func (s *server) call(ctx context.Context, method, path string, body any) ([]byte, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+s.key)
	r.Header.Set("Accept", "application/xml")
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	got, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: %s: %s", method, path, answer.Status, got)
	}
	return got, err
}
