package embedded

import (
	"crypto/rand"
	"fmt"
	"net/url"

	"github.com/alicebob/miniredis/v2"
)

// startMemory starts the stand-in. It has a password, because any user of the
// machine reaches a port of it.
func startMemory() (*Server, error) {
	password := rand.Text()
	m := miniredis.NewMiniRedis()
	m.RequireAuth(password)
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	m.ClockTTL(true) // keys expire by the clock, as they do in Redis
	u := url.URL{Scheme: "redis", User: url.UserPassword("", password), Host: m.Addr()}
	return &Server{url: u.String(), inMemory: true, stop: func() error { m.Close(); return nil }}, nil
}
