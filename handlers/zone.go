package handlers

import (
	"net/http"
	"time"
	_ "time/tzdata" // a container often has no time zones of its own

	"github.com/maypok86/otter/v2"

	"github.com/carillonhq/carillon/notifier"
)

// maxZones limits the cached time zones. There are about 600 names, so the limit is reached only if files were added
// to the machine's own.
const maxZones = 1000

// zones caches the time zones of browsers, because loading one reads and parses a file.
type zones struct {
	known *otter.Cache[string, *time.Location]
}

func newZones() zones {
	return zones{otter.Must(&otter.Options[string, *time.Location]{MaximumSize: maxZones})}
}

// of returns the request's time zone, from its tz cookie; the default is UTC.
func (z zones) of(r *http.Request) *time.Location {
	name := zoneOf(r)
	if zone, ok := z.known.GetIfPresent(name); ok {
		return zone
	}
	if !notifier.ValidZone(name) {
		return time.UTC
	}
	zone := notifier.Location(name)
	z.known.Set(name, zone)
	return zone
}

// zoneOf returns the name of the browser's time zone from the request's cookie, or "".
func zoneOf(r *http.Request) string {
	c, err := r.Cookie("tz")
	if err != nil || len(c.Value) > notifier.MaxZone {
		return ""
	}
	return c.Value
}
