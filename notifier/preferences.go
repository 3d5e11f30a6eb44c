package notifier

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Preferences contains how and when a user is notified outside the pages.
type Preferences struct {
	Mail        When
	MailChosen  bool // false: Mail is the installation's default
	MailAt      int  // the minute after midnight of daily mails
	Push        When // never daily
	Quiet       *Quiet
	Zone        string    // chosen by the user, IANA; empty: none
	InForce     string    // the effective zone
	ZoneFrom    ZoneFrom  // the source of Zone
	PausedUntil time.Time // zero: not paused
	Types       map[string]TypeWants
}

// ZoneFrom is the source of a user's effective time zone.
type ZoneFrom string

// The sources of zones.
const (
	ZoneChosen       ZoneFrom = "chosen"       // the user has chosen it
	ZoneBrowser      ZoneFrom = "browser"      // from their browser or their app
	ZoneInstallation ZoneFrom = "installation" // --zone
)

// InForce returns the effective zone and its source.
func (z *Zones) InForce(otherwise string) (zone string, from ZoneFrom) {
	switch {
	case z.Chosen != "":
		return z.Chosen, ZoneChosen
	case z.Seen != "":
		return z.Seen, ZoneBrowser
	case otherwise != "":
		return otherwise, ZoneInstallation
	}
	return "UTC", ZoneInstallation
}

// export returns the preferences in the form used by an export.
func (p *Preferences) export() map[string]any {
	types := map[string]map[string]bool{}
	for typ, w := range p.Types {
		types[typ] = map[string]bool{}
		for way, want := range map[string]*bool{"inbox": w.Inbox, "push": w.Push, "mail": w.Mail} {
			if want != nil {
				types[typ][way] = *want
			}
		}
	}
	out := map[string]any{
		"mail": map[string]any{"when": p.Mail.String(), "at": FormatMinute(p.MailAt)}, "push": map[string]any{"when": p.Push.String()},
		"zone": p.Zone, "quiet": nil, "paused_until": nil, "types": types,
	}
	if q := p.Quiet; q != nil {
		out["quiet"] = map[string]any{"from": FormatMinute(q.From), "to": FormatMinute(q.To)}
	}
	if !p.PausedUntil.IsZero() {
		out["paused_until"] = p.PausedUntil.UTC()
	}
	return out
}

// Quiet is the period in which only urgent notices are sent: minutes after midnight in the user's zone.
// From may be later than To.
type Quiet struct{ From, To int }

// TypeWants contains the ways in which a user is notified of a type of notice. Nil: the type's default.
type TypeWants struct{ Inbox, Push, Mail *bool }

// DefaultMailAt is the minute of daily mails of users who have not set one: 08:00.
const DefaultMailAt = 8 * 60

// PutPreferences contains the preferences to replace. Unset fields stay unchanged.
type PutPreferences struct {
	Mail        *When
	MailAt      *int // with Mail; nil: unchanged
	Push        *When
	SetQuiet    bool
	Quiet       *Quiet
	Zone        *string
	PausedUntil *time.Time           // zero: ends the pause
	Types       map[string]TypeWants // nil: unchanged
	// Change computes Types from their current values when the change is made; nil: Types is used.
	Change func(had map[string]TypeWants) map[string]TypeWants
}

// MaxTypeWants is the maximum number of types for which a user can have preferences.
const MaxTypeWants = 200

// The codes of FieldError for preferences.
const (
	CodeBadWhen      = "bad_when"       // mail.when, push.when
	CodeBadMinute    = "bad_minute"     // mail.at, quiet.from, quiet.to: not HH:MM
	CodeEmptyQuiet   = "empty_quiet"    // quiet: from equals to
	CodeHalfQuiet    = "half_quiet"     // quiet: from or to is missing
	CodeBadZone      = "bad_zone"       // zone
	CodeTooManyTypes = "too_many_types" // types
	CodeLockedType   = "locked_type"    // types.T.inbox: it cannot be muted
	CodeBadEmail     = "bad_email"      // email
)

// Validate returns an *InvalidError with every fault, or nil. mutable reports whether a type may be muted.
func (p *PutPreferences) Validate(mutable func(typ string) bool) error {
	var bad InvalidError
	if w := p.Push; w != nil && w.Daily {
		bad.Add("push.when", CodeBadWhen, nil)
	}
	if q := p.Quiet; q != nil && q.From == q.To {
		bad.Add("quiet", CodeEmptyQuiet, nil)
	}
	if p.Zone != nil && *p.Zone != "" && !ValidZone(*p.Zone) {
		bad.Add("zone", CodeBadZone, nil)
	}
	if len(p.Types) > MaxTypeWants {
		bad.Add("types", CodeTooManyTypes, map[string]any{"Max": MaxTypeWants})
		return &bad
	}
	for _, typ := range slices.Sorted(maps.Keys(p.Types)) {
		switch inbox := p.Types[typ].Inbox; {
		case !ValidType(typ):
			bad.Add("types", CodeBadType, nil)
		case inbox != nil && !*inbox && !mutable(typ):
			bad.Add("types."+typ+".inbox", CodeLockedType, map[string]any{"Type": typ})
		}
	}
	return bad.OrNil()
}

// MaxZone is the maximum length of a time zone's name, in bytes; the longest existing name has 32.
const MaxZone = 64

// ValidZone reports whether a time zone with this name exists: up to three parts of letters, digits, _, + and -,
// each beginning with a capital. Zones are files, so other spellings of their paths would load, too.
func ValidZone(name string) bool {
	if len(name) > MaxZone || name == "Local" || strings.Count(name, "/") > 2 {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == "" || part[0] < 'A' || part[0] > 'Z' || strings.ContainsFunc(part, outsideZone) {
			return false
		}
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

func outsideZone(r rune) bool {
	switch {
	case r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '+', r == '-':
		return false
	}
	return true
}

// Location returns the zone with this name, or UTC.
func Location(zone string) *time.Location {
	if l, err := time.LoadLocation(zone); err == nil && zone != "Local" {
		return l
	}
	return time.UTC
}

// ParseMinute parses HH:MM, up to 23:59, as minutes after midnight.
func ParseMinute(text string) (minute int, ok bool) {
	if len(text) != 5 || text[2] != ':' {
		return 0, false
	}
	h, errH := strconv.ParseUint(text[:2], 10, 8)
	m, errM := strconv.ParseUint(text[3:], 10, 8)
	return int(h*60 + m), errH == nil && errM == nil && h < 24 && m < 60
}

// FormatMinute returns the text that ParseMinute parses.
func FormatMinute(minute int) string { return fmt.Sprintf("%02d:%02d", minute/60, minute%60) }

// Next returns the first moment after t at which clocks in the zone show this minute after midnight. If clocks
// skip the minute on that day, the change is ignored; if they show it twice, the first moment is
// returned.
func Next(minute int, t time.Time, zone *time.Location) time.Time {
	y, m, d := t.In(zone).Date()
	for day := 0; ; day++ {
		if at := shown(y, m, d+day, minute, zone)[0]; at.After(t) {
			return at
		}
	}
}

// shown returns the moments of a day at which clocks show this minute; usually there is one.
func shown(y int, m time.Month, d, minute int, zone *time.Location) (moments []time.Time) {
	clock := time.Date(y, m, d, minute/60, minute%60, 0, 0, time.UTC)
	_, before := clock.Add(-24 * time.Hour).In(zone).Zone() // seconds east of UTC
	_, after := clock.Add(24 * time.Hour).In(zone).Zone()
	for _, offset := range slices.Compact([]int{max(before, after), min(before, after)}) {
		at := clock.Add(-time.Duration(offset) * time.Second).In(zone)
		if at.Hour()*60+at.Minute() == minute {
			moments = append(moments, at)
		}
	}
	if moments == nil {
		moments = append(moments, clock.Add(-time.Duration(before)*time.Second).In(zone))
	}
	return moments
}

// Until returns the end of the quiet period that contains t, or the zero time if there is none.
func (q *Quiet) Until(t time.Time, zone *time.Location) time.Time {
	if q == nil || !q.includes(t, zone) {
		return time.Time{}
	}
	y, m, d := t.In(zone).Date()
	for day := 0; ; day++ {
		for _, end := range shown(y, m, d+day, q.To, zone) {
			if end.After(t) {
				return end
			}
		}
	}
}

func (q *Quiet) includes(t time.Time, zone *time.Location) bool {
	now := t.In(zone)
	minute := now.Hour()*60 + now.Minute()
	if q.From > q.To {
		return minute >= q.From || minute < q.To
	}
	return minute >= q.From && minute < q.To
}
