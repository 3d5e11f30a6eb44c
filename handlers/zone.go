package handlers

import (
	"net/http"
	"strings"
	"time"
	_ "time/tzdata" // a container often has no time zones of its own

	"github.com/maypok86/otter/v2"
)

// maxZones bounds the time zones that an instance caches. There are about 600 names, so the bound
// is reached only if someone added files to the machine's own.
const maxZones = 1000

// maxZoneName is the longest name accepted; the longest existing one has 32 bytes.
const maxZoneName = 64

// zones caches the time zones that browsers name, because loading one reads and parses a file.
type zones struct {
	known *otter.Cache[string, *time.Location]
}

func newZones() zones {
	return zones{otter.Must(&otter.Options[string, *time.Location]{MaximumSize: maxZones})}
}

// of is the time zone of a request, from its tz cookie; the default is UTC.
func (z zones) of(r *http.Request) *time.Location {
	c, err := r.Cookie("tz")
	if err != nil || !zoneName(c.Value) {
		return time.UTC
	}
	if zone, ok := z.known.GetIfPresent(c.Value); ok {
		return zone
	}
	zone, err := time.LoadLocation(c.Value)
	if err != nil {
		return time.UTC
	}
	z.known.Set(c.Value, zone)
	return zone
}

// zoneName reports whether a name is spelled like an IANA zone: up to three parts of letters,
// digits, _, + and -, each beginning with a capital. A zone is a file, so America//New_York and
// America/./New_York would load as well, and each spelling would take another place in the cache.
// The capital excludes the second and third copies of all zones that some machines have under
// posix/ and right/.
func zoneName(s string) bool {
	if len(s) > maxZoneName || s == "Local" || strings.Count(s, "/") > 2 {
		return false
	}
	for part := range strings.SplitSeq(s, "/") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' || strings.ContainsFunc(part, outsideZone) {
			return false
		}
	}
	return true
}

func outsideZone(r rune) bool {
	switch {
	case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '+', r == '-':
		return false
	}
	return true
}
