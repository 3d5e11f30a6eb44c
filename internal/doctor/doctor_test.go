package doctor

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/config"
)

func TestAFullDiskOfSQLiteIsAFailure(t *testing.T) {
	t.Parallel()
	for free, want := range map[int64]string{
		0: "FAIL  sql disk     0 MB free: its disk is full", noRoom: "note  sql disk     1 MB free", littleRoom: "ok    sql disk     256 MB free",
	} {
		var found []string
		e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
		e.free(free)
		if len(found) != 1 || !strings.HasPrefix(found[0], want) {
			t.Errorf("%d bytes free: %q; want %q", free, found, want)
		}
	}
}

func TestTheProbeNeedsATokenOfTheDoctor(t *testing.T) {
	t.Parallel()
	now := time.Now()
	key, old, other := []byte(strings.Repeat("k", config.KeyBytes)), []byte(strings.Repeat("o", config.KeyBytes)), []byte(strings.Repeat("x", config.KeyBytes))
	keys := [][]byte{key, old}
	for name, token := range map[string]struct {
		text string
		ok   bool
	}{
		"of the key":        {probeToken(key, now), true},
		"of an older key":   {probeToken(old, now), true},
		"of another key":    {probeToken(other, now), false},
		"of a minute ago":   {probeToken(key, now.Add(-probeLife-time.Second)), false},
		"of the far future": {probeToken(key, now.Add(time.Hour)), false},
		"none":              {"", false},
		"garbage":           {"1.2.3", false},
	} {
		if got := probeAllowed(keys, token.text, now); got != token.ok {
			t.Errorf("a token %s: %v, want %v", name, got, token.ok)
		}
	}
	w := httptest.NewRecorder()
	Probe(keys, time.Now, nil, http.NotFoundHandler()).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, ProbePath+"?doctor=1.2", nil))
	if w.Code != http.StatusForbidden {
		t.Errorf("without a token: %d", w.Code)
	}
}
