package api

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestARefusedOriginIsLoggedOnceWithTheCommandThatLetsItIn(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	now := time.Unix(1_800_000_000, 0)
	o := &refusedOrigins{log: slog.New(slog.NewTextHandler(&out, nil)), now: func() time.Time { return now }}
	lines := func(app, origin string) string {
		out.Reset()
		o.refuse(t.Context(), app, origin)
		return out.String()
	}
	if got := lines("", "http://localhost:8000"); !strings.Contains(got, "level=WARN") || !strings.Contains(got, `remedy="carillon app set NAME --origin http://localhost:8000"`) {
		t.Errorf("it logs %s", got)
	}
	if got := lines("", "http://localhost:8000"); got != "" {
		t.Errorf("the second call logs %s", got)
	}
	if got := lines("shop", "http://localhost:8000"); !strings.Contains(got, "carillon app set shop --origin http://localhost:8000") {
		t.Errorf("a token of shop: %s", got)
	}
	// Neither a line nor a command is made of what is no origin.
	for _, origin := range []string{"null", "https://a;reboot", "https://a$(id)", "https://x\nlevel=ERROR", "https://" + strings.Repeat("a", 8000), "https://\x1b[31m\u202e"} {
		got := lines("", origin)
		if strings.Contains(got, "remedy") || strings.Count(got, "\n") != 1 || len(got) > 400 || strings.ContainsAny(got, "\x1b\u202e") {
			t.Errorf("%.40q: %q", origin, got)
		}
	}
	for n := range 10 * maxRefusedOrigins {
		lines("", fmt.Sprintf("https://%d.example.com", n))
	}
	if len(o.known) != maxRefusedOrigins {
		t.Errorf("%d origins are remembered", len(o.known))
	}
	now = now.Add(refusedWindow)
	if got := lines("", "http://localhost:8000"); got == "" {
		t.Error("an hour later it is not logged")
	}
}
