package rule

import (
	"errors"
	"strings"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// schedule is when a rule runs: at every full multiple of a duration, or by a crontab line. It is
// the same on every instance, regardless of start time.
type schedule struct {
	text  string
	every time.Duration
	cron  gocron.Cron // nil: use every
}

// Next returns the first time after t at which the rule is due; zero if it never is.
func (s schedule) Next(t time.Time) time.Time {
	switch {
	case s.cron != nil:
		return s.cron.Next(t.In(time.Local))
	case s.every > 0:
		return t.UTC().Truncate(s.every).Add(s.every) // UTC, where no hour occurs twice
	}
	return time.Time{}
}

// IsValid implements gocron.Cron. The schedule was validated when it was parsed.
func (s schedule) IsValid(string, *time.Location, time.Time) error { return nil }

// missed reports whether the rule was due between its last run and now. A rule that has never run
// is due immediately if it has an interval; with a crontab line it waits for its time.
func (s schedule) missed(last, now time.Time) bool {
	if last.IsZero() {
		return s.cron == nil
	}
	next := s.Next(last)
	return !next.IsZero() && !next.After(now)
}

// parseCron parses the five fields of a crontab line, or @daily and similar names. Times are in the
// server's time zone unless the line begins with, for example, CRON_TZ=Europe/Amsterdam.
func parseCron(text string) (schedule, error) {
	if strings.TrimSpace(text) == "" {
		return schedule{}, errors.New("empty")
	}
	if strings.HasPrefix(text, "@every") {
		return schedule{}, errors.New(`write every = "5m" instead`)
	}
	// The parser panics on a time zone without a schedule.
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		if len(strings.Fields(text)) < 2 {
			return schedule{}, errors.New("a time zone without a schedule")
		}
	}
	c := gocron.NewDefaultCron(false)
	if err := c.IsValid(text, time.Local, time.Now()); err != nil {
		return schedule{}, plainCron(err)
	}
	return schedule{text: text, cron: c}, nil
}

// plainCron removes the parser's prefixes from its errors.
func plainCron(err error) error {
	if errors.Is(err, gocron.ErrCronJobInvalid) {
		return errors.New("this time never occurs")
	}
	lines := strings.Split(err.Error(), "\n")
	return errors.New(lines[len(lines)-1])
}
