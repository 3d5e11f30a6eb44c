package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/doctor"
)

func TestHealthPrintsTheStateOfTheRunningServer(t *testing.T) {
	t.Parallel()
	s := serve(t, in(t.TempDir()))
	health := func() result { return call{}.run(t.Context(), "health", "--addr", s.Addr) }
	if r := must(t, health()); r.out != "ok\n" || r.errors != "" {
		t.Errorf("it prints %q and %q", r.out, r.errors)
	}
	if status := s.stop(); status != 0 {
		t.Fatalf("the server ended with status %d", status)
	}
	if r := health(); r.status != exitFailed || r.out != "" || strings.Count(r.errors, "\n") != 1 || !strings.Contains(r.errors, s.Addr) {
		t.Errorf("without a server: status %d, %q, %q", r.status, r.out, r.errors)
	}
}

func TestHealthFollowsTheStatusOfReadyz(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		code   int
		body   string
		status int
	}{
		{http.StatusOK, "ok", exitDone},
		{http.StatusOK, "degraded\n", exitDone},
		{http.StatusServiceUnavailable, "sql is away", exitFailed},
		{http.StatusNotFound, strings.Repeat("x", 1<<20), exitFailed},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/readyz" {
				t.Errorf("asked for %s", r.URL)
			}
			w.WriteHeader(test.code)
			_, _ = w.Write([]byte(test.body))
		}))
		_, port, err := net.SplitHostPort(server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		r := call{env: map[string]string{"CARILLON_ADDR": "0.0.0.0:" + port}}.run(t.Context(), "health")
		server.Close()
		if r.status != test.status || len(r.errors) > 400 || test.status == exitDone && r.out != strings.TrimSpace(test.body)+"\n" {
			t.Errorf("%d %.20q: status %d, %q, %q", test.code, test.body, r.status, r.out, r.errors)
		}
	}
}

func TestHealthRefusesPortZero(t *testing.T) {
	t.Parallel()
	if r := (call{}).run(t.Context(), "health", "--addr", "127.0.0.1:0"); r.status != exitUsage || !strings.Contains(r.errors, "--addr") {
		t.Errorf("status %d, %q", r.status, r.errors)
	}
	for addr, want := range map[string]string{
		":8080": "localhost:8080", "0.0.0.0:80": "localhost:80", "[::]:80": "localhost:80", "10.0.0.7:80": "10.0.0.7:80", "[::1]:80": "[::1]:80", "host:80": "host:80",
	} {
		if got, err := doctor.AskedAt(addr); err != nil || got != want {
			t.Errorf("the address for %s is %s, %v; want %s", addr, got, err, want)
		}
	}
}
