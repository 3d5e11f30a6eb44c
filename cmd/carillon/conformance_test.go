package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// client is a program that makes calls.
type client struct {
	t       *testing.T
	program func(line []byte) ([]byte, error)
}

// started starts a program. The function that it returns writes a line and reads the answer.
func started(t *testing.T, cmd *exec.Cmd) func([]byte) ([]byte, error) {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", cmd, err)
		}
	})
	lines := bufio.NewReader(out)
	return func(line []byte) ([]byte, error) {
		if _, err := in.Write(append(line, '\n')); err != nil {
			return nil, err
		}
		return lines.ReadBytes('\n')
	}
}

// call makes a call and returns what the program says became of it: a result, or how it failed.
func (c *client) call(name string, args ...any) map[string]any {
	c.t.Helper()
	line, err := json.Marshal(map[string]any{"call": name, "args": append([]any{}, args...)})
	if err != nil {
		c.t.Fatal(err)
	}
	text, err := c.program(line)
	var answer map[string]any
	if err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		c.t.Fatalf("%s: %v: %q", name, err, text)
	}
	return answer
}

// result makes a call that must succeed.
func (c *client) result(name string, args ...any) any {
	c.t.Helper()
	answer := c.call(name, args...)
	result, succeeded := answer["result"]
	if !succeeded {
		c.t.Fatalf("%s: %v", name, answer)
	}
	return result
}

// object is result for calls whose result is an object.
func (c *client) object(name string, args ...any) map[string]any {
	c.t.Helper()
	result := c.result(name, args...)
	object, ok := result.(map[string]any)
	if !ok {
		c.t.Fatalf("%s: %v is no object", name, result)
	}
	return object
}

// gives makes a call and fails the test unless its result, or its failure, has these members.
func (c *client) gives(want, name string, args ...any) {
	c.t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(want), &members); err != nil {
		c.t.Fatal(err)
	}
	got := c.call(name, args...)
	if result, ok := got["result"].(map[string]any); ok {
		got = result
	}
	maps.DeleteFunc(got, func(member string, _ any) bool {
		_, wanted := members[member]
		return !wanted
	})
	if d := cmp.Diff(members, got); d != "" {
		c.t.Errorf("%s (-want +got):\n%s", name, d)
	}
}

// proxy fails one call at a time.
type proxy struct {
	url      string
	next     atomic.Value // how the next call fails: cut, half, busy, gateway, redirect, or empty
	calls    atomic.Int64
	accepted atomic.Int64 // notices that the server had not accepted before
}

func failingProxy(t *testing.T, target string) *proxy {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	p, pass := &proxy{}, httputil.NewSingleHostReverseProxy(to)
	pass.ErrorLog = log.New(io.Discard, "", 0)
	pass.ModifyResponse = func(r *http.Response) error {
		if r.StatusCode == http.StatusAccepted && r.Request.URL.Path == "/api/v1/notices" && r.Header.Get("Idempotent-Replayed") == "" {
			p.accepted.Add(1)
		}
		switch r.Request.Context().Value(failure{}) {
		case "cut": // the server has done it, and the client cannot know
			panic(http.ErrAbortHandler)
		case "half":
			r.Body = io.NopCloser(io.LimitReader(r.Body, 8))
		}
		return nil
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		how := p.next.Swap("")
		switch how {
		case "busy":
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		case "redirect":
			http.Redirect(w, r, target+r.URL.Path, http.StatusTemporaryRedirect)
		case "gateway":
			w.WriteHeader(http.StatusBadGateway)
			_, _ = io.WriteString(w, "<html>Bad gateway</html>")
		default:
			pass.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), failure{}, how)))
		}
	}))
	server.Config.ErrorLog = pass.ErrorLog
	server.Start()
	t.Cleanup(server.Close)
	p.url = server.URL
	p.next.Store("")
	return p
}

// failure is the key of how a response fails.
type failure struct{}
