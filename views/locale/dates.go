package locale

import "time"

// Day names the day of t as a reader on the day of now would: today,
// yesterday, or the date. Both are in the reader's zone.
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

// Short is the time of day on the day of now, and the date in few letters on
// others.
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

// Clock is the time of day.
func (p *Printer) Clock(t time.Time) string { return t.Format("15:04") }

// Moment is the date and the time of day, with the zone.
func (p *Printer) Moment(t time.Time) string { return t.Format(p.T("date.layout_moment")) }

// Exact is the date and the time of day as they stand in a sentence. The zone
// of a reader needs no name; where it is not known, the name tells.
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
