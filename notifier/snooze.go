package notifier

import (
	"cmp"
	"time"
)

// MaxSnoozed is the maximum number of snoozed entries of a user.
const MaxSnoozed = 50

// MaxSnooze is how far in the future a snoozed entry may come back.
const MaxSnooze = 90 * 24 * time.Hour

// FieldError codes of snoozed entries.
const (
	CodeSnoozePast     = "snooze_past"      // until: not in the future
	CodeSnoozeLate     = "snooze_late"      // until: more than Days from now
	CodeTooManySnoozed = "too_many_snoozed" // key: the user already has Max snoozed entries
)

// CheckSnooze returns an *InvalidError for field until if an entry cannot be snoozed until then.
func CheckSnooze(until, now time.Time) error {
	var bad InvalidError
	switch {
	case !until.After(now):
		bad.Add("until", CodeSnoozePast, nil)
	case until.Sub(now) > MaxSnooze:
		bad.Add("until", CodeSnoozeLate, map[string]any{"Days": int(MaxSnooze / (24 * time.Hour))})
	}
	return bad.OrNil()
}

// TooManySnoozed returns the *InvalidError for one more snoozed entry than MaxSnoozed.
func TooManySnoozed() error {
	var bad InvalidError
	bad.Add("key", CodeTooManySnoozed, map[string]any{"Max": MaxSnoozed})
	return &bad
}

// PresetEnd returns the time that a preset means, from now in the user's zone: 1h, 3h, tomorrow at 9:00, or 9:00 on the next
// monday after today. ok is false for any other name.
func PresetEnd(preset string, now time.Time) (at time.Time, ok bool) {
	nine := func(days int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+days, 9, 0, 0, 0, now.Location())
	}
	switch preset {
	case "1h":
		return now.Add(time.Hour), true
	case "3h":
		return now.Add(3 * time.Hour), true
	case "tomorrow":
		return nine(1), true
	case "monday":
		return nine(cmp.Or((int(time.Monday)-int(now.Weekday())+7)%7, 7)), true
	}
	return time.Time{}, false
}
