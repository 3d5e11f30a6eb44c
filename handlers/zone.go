package handlers

import (
	"net/http"
	"sync"
	"time"
	_ "time/tzdata" // a container often has no time zones of its own
)

// zones remembers the time zones that browsers named: loading one reads and
// parses a file. Only real zones are kept, and there are some 600.
type zones struct{ known sync.Map }

// of is the time zone of a request: that of its cookie tz, else UTC.
func (z *zones) of(r *http.Request) *time.Location {
	c, err := r.Cookie("tz")
	if err != nil || len(c.Value) > 64 || c.Value == "Local" || c.Value == "" {
		return time.UTC
	}
	if zone, ok := z.known.Load(c.Value); ok {
		return zone.(*time.Location)
	}
	zone, err := time.LoadLocation(c.Value)
	if err != nil {
		return time.UTC
	}
	z.known.Store(c.Value, zone)
	return zone
}
