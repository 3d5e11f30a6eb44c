package notifier

import (
	"errors"
	"strings"
	"time"
)

// The errors of ParseMoment.
var (
	ErrNoMoment    = errors.New("not a time")
	ErrSkippedHour = errors.New("the hour is skipped there when daylight saving begins")
)

// ParseMoment parses a time with the first form that fits, in zone unless the text names one. It rejects times in the
// hour that daylight saving skips, because they do not exist.
func ParseMoment(text string, zone *time.Location, forms []string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, form := range forms {
		at, err := time.ParseInLocation(form, text, zone)
		if err != nil {
			continue
		}
		if typed, _ := time.Parse(form, text); typed.Format(time.DateTime) != at.Format(time.DateTime) {
			return time.Time{}, ErrSkippedHour
		}
		return at, nil
	}
	return time.Time{}, ErrNoMoment
}
