package epoch_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// info is one line of what a server says about itself.
func info(t *testing.T, c *redis.Client, name string) string {
	t.Helper()
	for line := range strings.Lines(c.Info(t.Context(), "everything").Val()) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return value
		}
	}
	t.Fatalf("it does not say its %s", name)
	return ""
}
