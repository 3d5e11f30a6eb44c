package doctor

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

// tooLong is longer than any user's name, in bytes.
const tooLong = 201

// identity sends a forged identity header through the public URL: if it reaches the server, anyone can sign in as any
// user. The name in it is too long, so that no user is created.
func (e *examination) identity(ctx context.Context, cfg *config.Config) {
	if cfg.Identity == nil {
		return
	}
	const check = "identity"
	header := cfg.Identity.Header
	if cfg.PublicURL == nil {
		e.note(check, "--public-url is not set", "set it to have a forged "+header+" sent through the proxy")
		return
	}
	through, err := forge(ctx, cfg.PublicURL.JoinPath("/api/v1/me/badge").String(), header)
	switch {
	case err != nil:
		e.fail(check, err.Error(), "check that the server runs and that the proxy forwards every path")
	case through:
		e.fail(check, fmt.Sprintf("a forged %s comes through %s: anybody can sign in as anybody", header, cfg.PublicURL),
			"have the proxy replace the header in every request, and list nothing but the proxy in --identity-from; see docs/identity.md")
	default:
		e.ok(check, "a forged %s does not come through %s", header, cfg.PublicURL)
	}
}

// forge reports whether a forged header reaches the server and is trusted there.
func forge(ctx context.Context, url, header string) (through bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, 15*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, fmt.Errorf("forge the header: %w", err)
	}
	req.Header.Set(header, strings.Repeat("x", tooLong))
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return false, fmt.Errorf("forge the header: %w", err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, 64<<10))
	if err != nil {
		return false, fmt.Errorf("forge the header: %w", err)
	}
	return res.StatusCode == http.StatusBadRequest && strings.Contains(string(body), "identity_invalid"), nil
}
