package guard_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// info returns one field of a server's INFO reply.
func info(t *testing.T, c *redis.Client, name string) string {
	t.Helper()
	for line := range strings.Lines(c.Info(t.Context(), "everything").Val()) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return value
		}
	}
	t.Fatalf("no %s in the INFO reply", name)
	return ""
}
