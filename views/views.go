// Package views contains the pages as templ components, one page per file, each with a struct of all data
// that it shows. Views do not compute and do not read the clock: handlers pass them texts in the reader's
// language and time zone.
package views

import (
	"context"
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// Frame is what all pages share.
type Frame struct {
	Text    *locale.Printer
	Assets  Assets
	Title   string
	Total   string             // the number of all entries of a list, after the title; empty: unknown, or no list
	Section string             // the current link of the navigation
	Pages   [][]components.Tab // the staff pages in groups; empty: this is not a staff page
	Viewer  *Viewer            // nil: signed out
	Done    *Done              // the message about the last action; nil: none
	Pinned  *Pinned            // the pinned announcement; nil: none
	Stale   string             // the warning that the page is read-only and shows the archive; empty: it is current
	Links   string             // prefix of toast links that begin with /; empty: none
	Paused  string             // the line with the end of the viewer's pause; empty: not paused
	Sheet   string             // an additional style sheet; empty: none
	Refresh bool               // reload automatically without script
	Push    string             // the push key; empty: push is off
}

// htmxConfig turns off features that the content security policy forbids or that would store
// pages on disk. A form returned with errors (422) is swapped in.
const htmxConfig = `{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"historyCacheSize":0,` +
	`"refreshOnHistoryMiss":true,"scrollIntoViewOnBoost":false,"defaultSettleDelay":0,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"422","swap":true},` +
	`{"code":"[45]..","swap":false,"error":true}]}`

// Assets contains the addresses of the static files.
type Assets struct {
	Style         string
	StaffStyle    string // for staff pages, besides Style
	SettingsStyle string // for the settings page, besides Style
	ProseStyle    string // for the page of an announcement, besides Style
	BoardStyle    string // for boards, besides Style
	BoardScript   string // for boards, instead of Script
	Script        string
	Modules       []string // imported by Script; listed so that all load together
	HTMX          string
	Icon          string
	UnreadIcon    string // Icon with a dot; scripts know both names
	HomeIcon      string // on the home screen of an iPhone
	Icons         components.Icons
}

// Viewer is the user who views the page.
type Viewer struct {
	Name  string // the host application's id
	Shown string // their display name
	Login string // identifies the session; not secret
	Staff bool
	Bell  Bell
	Tally Tally // of the announcements

	Theme   string // light or dark; empty: follow the system
	Compact bool   // rows have one line of text
	KeysOff bool   // keyboard shortcuts are off
	Proxied bool   // signed in by a proxy: they sign out there
	Pauses  bool   // mail or push can be paused
	Here    string // this page, to return to
}

// UserHeader is the header with the page's user, query-escaped, in requests by the page's script. Someone
// else may have signed in since.
const UserHeader = "Carillon-User"

// PageUser is the field with the page's user in plain forms.
const PageUser = "page_user"

// Done is the message about the last action.
type Done struct {
	Text string
	Undo *Undo // nil: no Undo
	Bad  bool  // it did not work
}

// Undo is the form that undoes the action.
type Undo struct {
	Action string
	Fields []Hidden
	Target string // the part of this page that is replaced; empty: load another page
	Select string // the part of the response to put there; empty: all of it
}

func (u *Undo) attributes() templ.Attributes {
	if u.Target == "" {
		return nil
	}
	attrs := templ.Attributes{
		"hx-boost": "true", "hx-target": u.Target, "hx-swap": "outerHTML show:none", "hx-push-url": "false",
	}
	if u.Select != "" {
		attrs["hx-select"] = u.Select
	}
	return attrs
}

// Hidden is a hidden field.
type Hidden struct{ Name, Value string }

// Bell is the link to the inbox with the badge.
type Bell struct {
	Name                            string // the accessible name, with the exact number
	Badge                           string // the number shown, at most 99+
	Hidden                          bool   // the badge is hidden at 0
	Inbox, Announcements, Ver, AVer string // initial values for the script
	unread                          int64
}

// NewBell returns the bell for a badge.
func NewBell(text *locale.Printer, b notifier.Badge) Bell {
	bell := Bell{
		Name: text.T("js.bell_none"), Badge: strconv.FormatInt(b.Unread, 10), Hidden: b.Unread == 0, unread: b.Unread,
		Inbox: strconv.FormatInt(b.Inbox, 10), Announcements: strconv.FormatInt(b.Announcements, 10),
		Ver: strconv.FormatInt(b.Ver, 10), AVer: strconv.FormatInt(b.AVer, 10),
	}
	switch {
	case b.Unread == 0:
	case b.Announcements == 0:
		bell.Name = text.N("js.bell", b.Unread)
	case b.Inbox == 0:
		bell.Name = text.N("js.bell_only", b.Announcements)
	default:
		bell.Name = text.N("js.bell_with", b.Announcements, "Unread", text.Number(b.Unread))
	}
	if b.Unread > 99 {
		bell.Badge = "99+"
	}
	return bell
}

// UnknownBell returns the bell of a page that could not read the badge.
func UnknownBell(text *locale.Printer) Bell {
	bell := NewBell(text, notifier.Badge{})
	bell.Name = text.T("js.bell_unknown")
	return bell
}

// documentTitle returns the page's title with the number of unread before it and the application's name
// after it.
func (f *Frame) documentTitle() string {
	if f.Viewer != nil && f.Viewer.Bell.unread > 0 {
		return f.Text.F("app.title_unread", "Count", strconv.FormatInt(f.Viewer.Bell.unread, 10), "Title", f.Title)
	}
	return f.Text.F("app.title", "Title", f.Title)
}

// current returns the value of aria-current for a navigation link.
func (f *Frame) current(section string) string {
	if f.Section == section {
		return "page"
	}
	return "false"
}

// theme returns the user's theme; empty: follow the system.
func (f *Frame) theme() string {
	if f.Viewer == nil {
		return ""
	}
	return f.Viewer.Theme
}

// compact reports whether rows have one line of text.
func (f *Frame) compact() bool { return f.Viewer != nil && f.Viewer.Compact }

// keys returns whether keyboard shortcuts are on, for the script.
func (f *Frame) keys() string {
	if f.Viewer.KeysOff {
		return "off"
	}
	return "on"
}

// icon returns the icon of the tab. It has a dot while something is unread.
func (f *Frame) icon() string {
	if f.Viewer != nil && !f.Viewer.Bell.Hidden {
		return f.Assets.UnreadIcon
	}
	return f.Assets.Icon
}

// scriptTexts returns the texts of the modules that the page loads.
func (f *Frame) scriptTexts() string {
	if len(f.Pages) > 0 {
		return f.Text.FormsScript()
	}
	return f.Text.Script()
}

// headers returns the header with the page's user, which the script sends with each request.
func (v *Viewer) headers() string {
	return `{"` + UserHeader + `":"` + url.QueryEscape(v.Name) + `"}`
}

// at returns a path of Carillon as browsers see it.
func at(ctx context.Context, path string) string { return web.At(ctx, path) }
