package locale

import "time"

// Day returns the day of t as seen on the day of now: today, yesterday or the date. Both times
// must be in the reader's zone.
func (p *Printer) Day(t, now time.Time) string {
	switch {
	case sameDay(t, now):
		return p.T("date.today")
	case sameDay(t, now.AddDate(0, 0, -1)):
		return p.T("date.yesterday")
	case t.Year() == now.Year():
		return t.Format(p.T("date.layout_this_year"))
	default:
		return t.Format(p.T("date.layout"))
	}
}

// Short returns the time of day if t is on the day of now, otherwise a short date.
func (p *Printer) Short(t, now time.Time) string {
	switch {
	case sameDay(t, now):
		return p.Clock(t)
	case t.Year() == now.Year():
		return t.Format(p.T("date.layout_short"))
	default:
		return t.Format(p.T("date.layout_short_year"))
	}
}

// Clock returns the time of day.
func (p *Printer) Clock(t time.Time) string { return t.Format("15:04") }

// Moment returns the date and time with the zone.
func (p *Printer) Moment(t time.Time) string { return t.Format(p.T("date.layout_moment")) }

// Exact returns the date and time for use in a sentence. It names the zone only if it is UTC, the
// default for readers whose zone is unknown.
func (p *Printer) Exact(t time.Time) string {
	s := t.Format(p.T("date.layout_long"))
	if t.Location() == time.UTC {
		s += " UTC"
	}
	return s
}

func sameDay(a, b time.Time) bool {
	ay, am, ad := a.Date()
	by, bm, bd := b.Date()
	return ay == by && am == bm && ad == bd
}
