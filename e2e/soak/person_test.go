package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"time"
)

// person is a user with an HTTP client that sends each request to any instance.
type person struct {
	s      *site
	name   string
	client *http.Client
	answer []byte // the last body
	sure   bool   // the last request received a response, whatever its status
}

// statusError is a response with an unexpected status.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("status %d", int(e)) }

func (s *site) person(name string) *person {
	jar, _ := cookiejar.New(nil) // without options it cannot fail
	transport := &http.Transport{}
	s.t.Cleanup(transport.CloseIdleConnections)
	return &person{s: s, name: name, client: &http.Client{
		Jar: jar, Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signIn retries until it succeeds, because signing in is not under test.
func (p *person) signIn(ctx context.Context) {
	for ctx.Err() == nil {
		to, err := p.post(ctx, "/login", url.Values{"username": {p.name}, "password": {password}})
		if err == nil && !strings.HasPrefix(to, "/login") {
			return
		}
		pause(ctx)
	}
}

// post posts a form to any instance and returns where the response redirects to.
func (p *person) post(ctx context.Context, path string, form url.Values) (to string, err error) {
	return p.ask(ctx, http.MethodPost, path, form)
}

func (p *person) ask(ctx context.Context, method, path string, form url.Values) (to string, err error) {
	p.sure = false
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	base := p.s.slots[rand.IntN(len(p.s.slots))].Load().url
	req, err := http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", err
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return p.do(req)
}

// do sends a request, and returns where the response redirects to.
func (p *person) do(req *http.Request) (to string, err error) {
	res, err := p.client.Do(req)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	p.answer, err = io.ReadAll(res.Body)
	if err != nil {
		return "", err
	}
	p.sure = true
	if res.StatusCode >= http.StatusInternalServerError {
		p.s.book.note(func() {
			p.s.book.broken = append(p.s.book.broken, fmt.Sprintf("%s %s: %s %.200q", req.Method, req.URL, res.Status, p.answer))
		})
	}
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated && res.StatusCode != http.StatusAccepted && res.StatusCode != http.StatusNoContent && res.StatusCode != http.StatusSeeOther {
		return "", statusError(res.StatusCode)
	}
	return res.Header.Get("Location"), nil
}

// refused reports whether the server rejected a request temporarily.
func refused(err error) bool {
	var status statusError
	return errors.As(err, &status) && (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests)
}

// pause keeps failing requests from being repeated a thousand times per second.
func pause(ctx context.Context) {
	select {
	case <-time.After(20 * time.Millisecond):
	case <-ctx.Done():
	}
}
