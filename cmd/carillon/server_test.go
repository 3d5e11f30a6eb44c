package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"github.com/carillonhq/carillon/internal/testkit"
)

// running is a server started by a test.
type running struct {
	serving
	stop   func() int // stops the server and returns its exit status
	errors *testkit.Buffer
}

// serve starts a server on a free port and returns when it answers. When the test ends, the server
// is stopped and must exit with status 0.
func serve(t *testing.T, c call, args ...string) *running {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	out, in := io.Pipe()
	r := &running{errors: &testkit.Buffer{}}
	status := make(chan int, 1)
	go func() {
		s := c.stream(ctx, in, r.errors, append([]string{"serve", "--json", "--addr", "127.0.0.1:0"}, args...)...)
		_ = in.Close()
		status <- s
	}()
	r.stop = sync.OnceValue(func() int {
		cancel()
		return <-status
	})
	t.Cleanup(func() {
		if s := r.stop(); s != 0 {
			t.Errorf("the server ended with status %d:\n%s", s, r.errors)
		}
	})
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &r.serving)
	}
	if err != nil {
		t.Fatalf("the server did not start: %v\n%s", err, r.errors)
	}
	return r
}

// browser is an HTTP client with cookies that reads pages. It runs no JavaScript.
type browser struct {
	*http.Client
	base string
}

func visit(t *testing.T, base string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return browser{&http.Client{Jar: jar, Transport: transport, Timeout: testkit.Patience}, base}
}

// signIn signs a user in and returns the page that they see first.
func (b browser) signIn(t *testing.T, name, password string) *goquery.Document {
	t.Helper()
	return b.post(t, "/login", url.Values{"username": {name}, "password": {password}})
}

func (b browser) get(t *testing.T, path string) *goquery.Document {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.base+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return b.page(t, req)
}

func (b browser) post(t *testing.T, path string, form url.Values) *goquery.Document {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.base+path, bytes.NewReader([]byte(form.Encode())))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.page(t, req)
}

func (b browser) page(t *testing.T, req *http.Request) *goquery.Document {
	t.Helper()
	res, err := b.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: %s", req.Method, req.URL.Path, res.Status)
	}
	doc, err := goquery.NewDocumentFromReader(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// entries opens the inbox and returns its keys, newest first.
func (b browser) entries(t *testing.T) []string {
	t.Helper()
	return b.get(t, "/inbox").Find(`[data-testid="entry"]`).Map(func(_ int, s *goquery.Selection) string {
		return s.AttrOr("data-key", "")
	})
}

// text fetches an address and returns its status and body as text.
func text(t *testing.T, address string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true // tests poll
	res, err := visit(t, "").Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(body))
}
