package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	trafficLines = 40 // lines after which a page of traffic ends with its day
	dayLines     = 100
)

// listTraffic shows what applications have sent: a line for each category and day, which leads to its notices.
func (h *Handlers) listTraffic(w http.ResponseWriter, r *http.Request, l listing) error {
	now := h.now(r)
	q := notifier.TrafficQuery{Zone: now.Location(), Before: number(r.URL.Query().Get("before")), Lines: trafficLines}
	found, next, err := h.Sent.Traffic(r.Context(), q, searchPatience)
	if err != nil {
		return fmt.Errorf("count what applications have sent: %w", err)
	}
	p := &views.Traffic{Frame: h.frame(r, "notices", "notices.title")}
	p.Tabs, p.Filter = sentTabs(p.Text, sentByAppsPath, l), h.sentFilter(p.Text, l)
	file := l
	file.path = exportPath
	p.Export = file.address("", "")
	p.NextText, p.FirstText = p.Text.T("notices.older"), p.Text.T("notices.newest")
	p.Empty = components.Empty{Icon: "package", Heading: p.Text.T("traffic.empty_heading"), Text: p.Text.T("traffic.empty_text")}
	if next > 0 {
		p.Next = l.address("before", strconv.FormatInt(next, 10))
	}
	if q.Before > 0 {
		p.First = l.address("", "")
	}
	for _, t := range found {
		h.addTraffic(p, t, now)
	}
	p.Say = listed(p.Text, len(found), p.Next != "", p.Empty)
	return h.page(w, r, http.StatusOK, views.TrafficPage(p))
}

// addTraffic adds a line to its day, which is the last one of the page or a new one.
func (h *Handlers) addTraffic(p *views.Traffic, t notifier.Traffic, now time.Time) {
	date := t.Day.Format(time.DateOnly)
	if len(p.Days) == 0 || p.Days[len(p.Days)-1].Datetime != date {
		p.Days = append(p.Days, views.TrafficDay{Heading: p.Text.Day(t.Day, now), Datetime: date})
	}
	day := &p.Days[len(p.Days)-1]
	if len(day.Lines) == dayLines {
		day.More = views.Link{Text: p.Text.T("traffic.more"), Href: trafficPath(date, "")}
		return
	}
	look := h.lookOf(t.Type)
	line := views.TrafficLine{
		Name: h.typeNames(p.Text).words(t.Type), Mark: views.Mark{Icon: look.Icon, Initials: look.Initials, Tint: look.Tint},
		Href: trafficPath(date, t.Type), Notices: countOf(p.Text, "traffic.notices", t.Notices, t.Partly),
	}
	if t.Recipients > 0 && (t.Recipients != t.Notices || t.Partly) { // not one each
		line.Recipients = countOf(p.Text, "traffic.recipients", t.Recipients, t.Partly)
	}
	day.Lines = append(day.Lines, line)
}

// countOf says a number, or that there are more.
func countOf(text *locale.Printer, id string, n int64, more bool) string {
	if more {
		return text.F("traffic.more_than", "Count", text.N(id, n))
	}
	return text.N(id, n)
}

// trafficPath is the list of what applications have sent on a day, of one category or, without one, of all.
func trafficPath(date, typ string) string {
	values := url.Values{"tab": {appsTab}, "since": {date}, "until": {date}}
	if typ != "" {
		values.Set("type", typ)
	}
	return noticesPath + "?" + values.Encode()
}
