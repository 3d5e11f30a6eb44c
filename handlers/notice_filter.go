package handlers

import (
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// The values of the filters with a fixed set of them.
var (
	sentTargets = []string{"user", "role", "topic", "audience"}
	targetTexts = []string{"notices.to_user", "notices.to_role", "notices.to_topic", "notices.to_audience"}
	sentStates  = []string{
		notifier.SentScheduled, notifier.SentSending, notifier.SentDone, notifier.SentOpen, notifier.SentClosed, notifier.SentRetracted,
	}
)

// sentTabSenders are the senders of the tabs that have a name in an address.
var sentTabSenders = map[string]notifier.Senders{staffTab: notifier.SentByPeople, appsTab: notifier.SentByPrograms}

const (
	staffTab       = "staff"
	appsTab        = "apps"
	sentByAppsPath = noticesPath + "?tab=" + appsTab
)

// narrowed reports whether an address asks for more than a tab: such a list has the notices of all senders, unless a tab is named.
func (l listing) narrowed() bool {
	return l.search != "" || len(l.narrow) > 1 || (len(l.narrow) == 1 && !l.narrow.Has("tab"))
}

// readSent parses which sent notices an address selects, and their order. It ignores invalid filter values.
func (h *Handlers) readSent(r *http.Request, path string) (listing, notifier.NoticeQuery) {
	values := r.URL.Query()
	l := readList(values, path, utf8.UTFMax*notifier.MaxTitle, "-time", "time")
	l.narrow = url.Values{}
	q := notifier.NoticeQuery{Contains: l.search, Oldest: l.sort == "time"}
	keep := func(name string, ok func(value string) bool) string {
		value := kept(values.Get(name))
		if value == "" || len(value) > utf8.UTFMax*notifier.MaxName || !ok(value) {
			return ""
		}
		l.narrow.Set(name, value)
		return value
	}
	keep("tab", func(value string) (ok bool) { q.Senders, ok = sentTabSenders[value]; return ok })
	anything := func(string) bool { return true }
	q.Type, q.Sender = keep("type", anything), keep("sender", anything)
	q.Target = keep("target", func(value string) bool { return contains(sentTargets, value) })
	q.State = keep("state", func(value string) bool { return contains(sentStates, value) })
	day := func(at *time.Time) func(string) bool {
		return func(value string) (ok bool) {
			var err error
			*at, err = time.ParseInLocation(time.DateOnly, value, h.zones.of(r))
			return err == nil
		}
	}
	keep("since", day(&q.Since))
	if keep("until", day(&q.Until)) != "" {
		q.Until = q.Until.AddDate(0, 0, 1) // that day is included
	}
	return l, q
}

// sentFilter builds the filter form.
func (h *Handlers) sentFilter(text *locale.Printer, l listing) views.SentFilter {
	f := views.SentFilter{
		Type: l.narrow.Get("type"), Sender: l.narrow.Get("sender"), Since: l.narrow.Get("since"), Until: l.narrow.Get("until"),
		Targets: []components.Option{{Text: text.T("notices.any")}}, States: []components.Option{{Text: text.T("notices.any")}},
	}
	for i, value := range sentTargets {
		f.Targets = append(f.Targets, components.Option{Value: value, Text: text.T(targetTexts[i]), Selected: value == l.narrow.Get("target")})
	}
	for _, value := range sentStates {
		f.States = append(f.States, components.Option{Value: value, Text: text.T("state." + value), Selected: value == l.narrow.Get("state")})
	}
	set := len(l.narrow)
	switch tab := tabOf(l); tab {
	case noticesPath, allSent:
		f.Clear = noticesPath
	default:
		set-- // it is the tab, not a filter
		f.Clear = tab
	}
	if l.narrow.Get("tab") == staffTab {
		set--
	}
	if set > 0 {
		f.Count = strconv.Itoa(set)
	} else {
		f.Clear = ""
	}
	return f
}

// allSent is the tab of a search or a filter among the notices of all senders. It has no address of its own.
const allSent = "all"

// tabOf returns the address of the tab that a list belongs to.
func tabOf(l listing) string {
	switch {
	case l.narrow.Get("tab") == appsTab:
		return sentByAppsPath
	case l.narrow.Get("tab") == staffTab:
		return noticesPath
	case l.narrow.Get("target") == "audience":
		return noticesPath + "?target=audience"
	case l.narrow.Get("state") == notifier.SentScheduled:
		return noticesPath + "?state=" + notifier.SentScheduled
	case l.narrowed():
		return allSent
	default:
		return noticesPath
	}
}

// sentTabs links to the lists of sent notices; current is the address of the shown one. While there is a search or a filter, the tabs of senders
// keep it, and there is a tab for all senders. The drafts are the reader's own.
func sentTabs(text *locale.Printer, current string, l listing) []components.Tab {
	tabs := []components.Tab{
		{Href: noticesPath, Text: text.T("notices.tab_staff")},
		{Href: sentByAppsPath, Text: text.T("notices.tab_apps")},
		{Href: noticesPath + "?state=" + notifier.SentScheduled, Text: text.T("state.scheduled")},
		{Href: draftsPath, Text: text.T("notices.tab_drafts")},
		{Href: noticesPath + "?target=audience", Text: text.T("nav.announcements")},
	}
	for i := range tabs {
		tabs[i].Current = tabs[i].Href == current
	}
	if l.narrowed() && (current == allSent || l.narrow.Has("tab")) {
		tabs[0].Href, tabs[1].Href = l.ofTab(staffTab), l.ofTab(appsTab)
		tabs = append([]components.Tab{{Href: l.ofTab(""), Text: text.T("notices.tab_all"), Current: current == allSent}}, tabs...)
	}
	return tabs
}

// ofTab returns the address of the same search and filters in another tab.
func (l listing) ofTab(tab string) string {
	l.narrow = maps.Clone(l.narrow)
	l.narrow.Del("tab")
	if tab != "" {
		l.narrow.Set("tab", tab)
	}
	return l.address("", "")
}
