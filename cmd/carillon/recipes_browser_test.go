package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// through is a browser for which every host is at this address.
func through(t *testing.T, addr string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // no authority has signed the test's certificate
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return browser{&http.Client{
		Jar: jar, Transport: transport, Timeout: testkit.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, ""}
}

// fetch sends a request with headers, as names and values in turn. The caller closes the body.
func (b browser) fetch(t *testing.T, address string, headers ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// ask sends a request with headers, and returns the status, the Location and the body.
func (b browser) ask(t *testing.T, address string, headers ...string) (status int, location, body string) {
	t.Helper()
	res := b.fetch(t, address, headers...)
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(text)
}

// streams opens the stream of a user, sends them a notice, and waits until the stream contains it. A proxy that
// buffers would hold it back.
func (b browser) streams(t *testing.T, address string, send func(), headers ...string) {
	t.Helper()
	res := b.fetch(t, address, headers...)
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	sent := false
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"unread":1`) {
			return
		}
		if !sent && strings.Contains(lines.Text(), `"unread":0`) {
			sent = true
			send()
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}
