package embedded

import (
	"crypto/rand"
	"fmt"
	"net/url"

	"github.com/alicebob/miniredis/v2"
)

// startMemory starts the substitute. It has a password, because every user of the machine can reach its
// port.
func startMemory() (*Server, error) {
	password := rand.Text()
	m := miniredis.NewMiniRedis()
	m.RequireAuth(password)
	if err := m.StartAddr("127.0.0.1:0"); err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	m.ClockTTL(true) // expire keys by the clock, as in Redis
	u := url.URL{Scheme: "redis", User: url.UserPassword("", password), Host: m.Addr()}
	return &Server{url: u.String(), stop: func() error { m.Close(); return nil }}, nil
}
