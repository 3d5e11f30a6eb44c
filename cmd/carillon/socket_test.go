package main

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/doctor"
)

// A server on a socket answers its own commands and a proxy. It replaces the socket of a killed server, and no other
// file.
func TestAServerOnASocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cs") //nolint:usetesting // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "http.sock")
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	_ = stale.Close()
	c := in(t.TempDir()).with("CARILLON_ADDR", "unix:"+path+"?mode=0600")
	if r := c.run(t.Context(), "serve"); r.status != exitUsage || !strings.Contains(r.errors, "--public-url") {
		t.Errorf("without a public URL: %d %s", r.status, r.errors)
	}
	s := serve(t, c.with("CARILLON_PUBLIC_URL", "http://bell.example.com"), "--addr", "unix:"+path+"?mode=0600")
	if s.Addr != "unix:"+path || s.URL != "http://bell.example.com" {
		t.Errorf("it answers at %+v", s)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket is %v, %v", info, err)
	}
	if out := must(t, c.run(t.Context(), "health")).out; out != "ok\n" {
		t.Errorf("health: %q", out)
	}
	res, err := doctor.Ask(t.Context(), s.Addr, "/login")
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Errorf("/login: %s", res.Status)
	}
	other := in(t.TempDir()).with("CARILLON_PUBLIC_URL", "http://bell.example.com")
	if r := other.run(t.Context(), "serve", "--addr", "unix:"+path); r.status != exitFailed || !strings.Contains(r.errors, "another server listens on") {
		t.Errorf("a second server: %d %s", r.status, r.errors)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := other.run(t.Context(), "serve", "--addr", "unix:"+file); r.status != exitFailed || !strings.Contains(r.errors, "is no socket") {
		t.Errorf("over a file: %d %s", r.status, r.errors)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "precious" {
		t.Errorf("the file is %q, %v", text, err)
	}
}
