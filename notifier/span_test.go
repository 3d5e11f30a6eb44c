package notifier_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestSpansMayBeInDays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"30d": 720 * time.Hour, "90m": 90 * time.Minute} {
		if got, err := notifier.ParseSpan(text); err != nil || got != want {
			t.Errorf("%s = %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "99999999d"} {
		if got, err := notifier.ParseSpan(text); err == nil {
			t.Errorf("%q = %v", text, got)
		}
	}
}
