package archtest

import (
	"strings"
	"testing"
)

const truthful = `-- mark_entry.lua: turn one entry.
--
-- KEYS[1] list   inbox
-- KEYS[2] state  numbers
-- ARGV[1] now    ms
-- ARGV[2..] keys any number
--
-- Returns 1.
local list, now = KEYS[1], tonumber(ARGV[1])
for i = 2, #ARGV do redis.call('LREM', list, 1, ARGV[i]) end
return redis.call('HSET', KEYS[2], 'ver', now)
`

func TestAMatchingHeaderPasses(t *testing.T) {
	t.Parallel()
	if err := checkHeader(truthful); err != nil {
		t.Error(err)
	}
}

func TestEveryFaultOfAHeaderIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ from, to, says string }{
		"no title":        {"-- mark_entry.lua: turn one entry.", "-- turns one entry", "verb_object.lua"},
		"no Returns line": {"-- Returns 1.", "-- Answers 1.", "no `-- Returns` line"},
		"an extra key":    {"-- ARGV[1] now", "-- KEYS[3] hash  bodies\n-- ARGV[1] now", "KEYS[3] is in the header but not in the body"},
		"a missing key":   {"-- KEYS[2] state  numbers\n", "", "KEYS[2] is in the body but not in the header"},
		"a gap":           {"-- KEYS[1] list   inbox\n", "", "KEYS[1] is missing from the header"},
		"twice":           {"-- KEYS[2] state", "-- KEYS[1] list  inbox\n-- KEYS[2] state", "KEYS[1] is in the header twice"},
		"another name":    {"local list, now", "local hash, now", "KEYS[1] is list in the header and hash in the body"},
		"swapped names":   {"local list, now = KEYS[1], tonumber(ARGV[1])", "local now, list = KEYS[1], tonumber(ARGV[1])", "ARGV[1] is now in the header and list in the body"},
		"no open end":     {"-- ARGV[2..] keys any number\n", "", "no open end"},
		"unused open end": {"for i = 2, #ARGV do redis.call('LREM', list, 1, ARGV[i]) end\n", "", "ARGV[2] is in the header but not in the body"},
		"too long":        {"return", strings.Repeat("redis.call('PING')\n", 60) + "return", "more than"},
	} {
		src := strings.Replace(truthful, c.from, c.to, 1)
		err := checkHeader(src)
		if src == truthful || err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", name, err, c.says)
		}
	}
}
