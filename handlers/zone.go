package handlers

import (
	"net/http"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // a container often has no time zones of its own
)

// maxZones bounds the time zones that an instance caches. There are about 600 names, so the bound
// is reached only if someone added files to the machine's own.
const maxZones = 1000

// maxZoneName is the longest name accepted; the longest existing one has 32 bytes.
const maxZoneName = 64

// zones caches the time zones that browsers name, because loading one reads and parses a file.
type zones struct {
	mu    sync.RWMutex
	known map[string]*time.Location
}

// of is the time zone of a request, from its tz cookie; the default is UTC.
func (z *zones) of(r *http.Request) *time.Location {
	c, err := r.Cookie("tz")
	if err != nil || !zoneName(c.Value) {
		return time.UTC
	}
	z.mu.RLock()
	zone := z.known[c.Value]
	z.mu.RUnlock()
	if zone != nil {
		return zone
	}
	if zone, err = time.LoadLocation(c.Value); err != nil {
		return time.UTC
	}
	z.remember(c.Value, zone)
	return zone
}

// remember caches a zone while there is room. A zone that finds none is loaded for every request,
// which is slower but correct.
func (z *zones) remember(name string, zone *time.Location) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.known == nil {
		z.known = map[string]*time.Location{}
	}
	if len(z.known) < maxZones {
		z.known[name] = zone
	}
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
