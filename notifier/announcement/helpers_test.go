package announcement_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

// impatient returns a client that gives up at once, so that an outage is short.
func impatient(t *testing.T, s *redistest.Server) *redis.Client {
	t.Helper()
	o := *s.Client(t).Options()
	o.MaxRetries, o.DialerRetries = -1, 1
	c := redis.NewClient(&o)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// sameScripts reports whether equally many scripts, transactions and reads were run.
func sameScripts(before, after string) bool {
	count := func(info string) (n int) {
		for line := range strings.Lines(info) {
			for _, name := range []string{"evalsha", "multi", "getbit", "setbit", "bitfield_ro"} {
				if rest, ok := strings.CutPrefix(line, "cmdstat_"+name+":calls="); ok {
					calls, _, _ := strings.Cut(rest, ",")
					for _, digit := range calls {
						n = n*10 + int(digit-'0')
					}
				}
			}
		}
		return n
	}
	return count(before) == count(after)
}

// counting returns parts of announcements to customers in which all readers are counted.
func counting(ids ...int64) (parts []notifier.Counting) {
	for _, id := range ids {
		parts = append(parts, notifier.Counting{PartKey: notifier.PartKey{ID: id, Audience: customer}})
	}
	return parts
}
