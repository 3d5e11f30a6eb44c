package config_test

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/config"
)

func TestTheFormsOfASocket(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]config.Socket{
		"unix:/run/carillon.sock":           {Path: "/run/carillon.sock", Mode: 0o660},
		"unix:///run/carillon.sock":         {Path: "/run/carillon.sock", Mode: 0o660},
		"unix:/run/carillon.sock?mode=0666": {Path: "/run/carillon.sock", Mode: 0o666},
		"unix:/run/carillon.sock?mode=600":  {Path: "/run/carillon.sock", Mode: 0o600},
		"unix:run/carillon.sock":            {},
		"unix:/":                            {},
		"unix:":                             {},
		"unix:/a?mode=9":                    {},
		"unix:/a?mode=01777":                {},
		"unix:/a?mode=0660&x=1":             {},
		"unix:/" + strings.Repeat("a", 200): {},
		"127.0.0.1:8080":                    {},
		"unix.example.com:8080":             {},
	} {
		got, ok := config.SocketOf(addr)
		if ok != (want != config.Socket{}) || ok && got != want {
			t.Errorf("%s: %+v %v, want %+v", addr, got, ok, want)
		}
	}
}
