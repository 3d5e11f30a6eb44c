package rule

import (
	"errors"
	"strings"
	"time"

	"github.com/go-co-op/gocron/v2"
)

// schedule says when a rule runs: at every full multiple of a time, or as a crontab
// says. The same on every instance, whenever it was started.
type schedule struct {
	text  string
	every time.Duration
	cron  gocron.Cron // nil: every
}

// Next returns the first time after t at which the rule is due; zero when it cannot
// run.
func (s schedule) Next(t time.Time) time.Time {
	switch {
	case s.cron != nil:
		return s.cron.Next(t.In(time.Local))
	case s.every > 0:
		return t.UTC().Truncate(s.every).Add(s.every) // where no hour comes twice
	}
	return time.Time{}
}

// IsValid makes a schedule a gocron.Cron: it has been looked at before.
func (s schedule) IsValid(string, *time.Location, time.Time) error { return nil }

// missed says whether the rule was due between its last run and now. What has never
// run is due at once when it runs every so often, and else waits for its time.
func (s schedule) missed(last, now time.Time) bool {
	if last.IsZero() {
		return s.cron == nil
	}
	next := s.Next(last)
	return !next.IsZero() && !next.After(now)
}

// parseCron reads the five fields of a crontab line, or @daily and its like. They are
// of the server's own time, unless CRON_TZ=Europe/Amsterdam stands before them.
func parseCron(text string) (schedule, error) {
	if strings.TrimSpace(text) == "" {
		return schedule{}, errors.New("empty")
	}
	if strings.HasPrefix(text, "@every") {
		return schedule{}, errors.New(`write every = "5m" instead`)
	}
	// The parser would fall over a zone with nothing behind it.
	if strings.HasPrefix(text, "TZ=") || strings.HasPrefix(text, "CRON_TZ=") {
		if len(strings.Fields(text)) < 2 {
			return schedule{}, errors.New("a time zone, and no times")
		}
	}
	c := gocron.NewDefaultCron(false)
	if err := c.IsValid(text, time.Local, time.Now()); err != nil {
		return schedule{}, plainCron(err)
	}
	return schedule{text: text, cron: c}, nil
}

// plainCron leaves out how the parser names itself.
func plainCron(err error) error {
	if errors.Is(err, gocron.ErrCronJobInvalid) {
		return errors.New("that never comes")
	}
	lines := strings.Split(err.Error(), "\n")
	return errors.New(lines[len(lines)-1])
}
