package config

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// Local returns the time zone of this machine, which the variable TZ may set. If the machine has no time zone files, as in a
// container, it uses those in the program; the standard library would silently use UTC.
func Local(lookup Lookup) (*time.Location, error) {
	name, set := lookup("TZ")
	name = strings.TrimPrefix(name, ":")
	switch {
	case !set:
		return time.Local, nil
	case name == "":
		return time.UTC, nil
	case strings.HasPrefix(name, "/"):
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("the variable TZ names a file that cannot be read: %w", err)
		}
		zone, err := time.LoadLocationFromTZData(name, data)
		if err != nil {
			return nil, fmt.Errorf("the variable TZ names %s, which is not a time zone file", name)
		}
		return zone, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("the variable TZ is %.60q, which is not a time zone, so times are in UTC: use an IANA name such as Europe/Berlin", name)
	}
	return zone, nil
}
