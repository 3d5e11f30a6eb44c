// Package views holds the pages as templ components, one page a file, each with
// a struct of all it shows. Views compute nothing and know no clock: handlers
// hand them what is to be displayed, in the reader's language and time zone.
package views

import (
	"net/url"
	"strconv"

	"github.com/a-h/templ"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// Frame is what every page has around its content.
type Frame struct {
	Text    *locale.Printer
	Assets  Assets
	Title   string
	Section string           // which link of the navigation is the current one
	Tabs    []components.Tab // the pages of this section; empty: it is the only one
	Group   []components.Tab // those that stand beside this one; fewer than two: none does
	Viewer  *Viewer          // nil: nobody is signed in
	Done    *Done            // what the request before this one did; nil: nothing to say
	Pinned  *Pinned          // the announcement on top of the page; nil: none
	Stale   string           // what to say of a page that shows what was stored, and changes nothing; empty: it is as it should be
	Refresh bool             // reload by itself where there is no script
}

// htmxConfig turns off what a strict content policy forbids and what would keep
// pages on the disk. A form that comes back with its faults (422) is shown.
const htmxConfig = `{"allowEval":false,"allowScriptTags":false,"includeIndicatorStyles":false,"historyCacheSize":0,` +
	`"refreshOnHistoryMiss":true,"scrollIntoViewOnBoost":false,"defaultSettleDelay":0,"disableInheritance":false,` +
	`"responseHandling":[{"code":"204","swap":false},{"code":"[23]..","swap":true},{"code":"422","swap":true},` +
	`{"code":"[45]..","swap":false,"error":true}]}`

// Assets are the addresses of the static files.
type Assets struct {
	Style   string
	Script  string
	Modules []string // what Script imports, so that all load at once
	HTMX    string
	Icon    string
	Icons   components.Icons
}

// Viewer is who looks at the page.
type Viewer struct {
	Name  string
	Staff bool
	Bell  Bell
	Tally Tally // of the announcements

	Theme   string // light or dark; empty: as the system has it
	KeysOff bool   // the user wants no keyboard shortcuts
}

// UserHeader is the header by which a page's script says whose page it is,
// escaped as in a query. Somebody else may have signed in since.
const UserHeader = "Carillon-User"

// PageUser is the field that says the same in a plain form.
const PageUser = "page_user"

// Done is the line that says what has just happened.
type Done struct {
	Text string
	Undo *Undo // nil: it cannot be undone
}

// Undo is the form that takes back what was done.
type Undo struct {
	Action string
	Fields []Hidden
	Target string // the part of this page that changes in place; empty: another page comes
	Select string // what of the answer takes its place; empty: all of it
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

// Hidden is a field that nobody sees.
type Hidden struct{ Name, Value string }

// Bell is the link to the inbox with its number.
type Bell struct {
	Name                            string // the accessible name, with the exact number
	Badge                           string // the number as shown, at most 99+
	Hidden                          bool   // whether the badge is hidden: at 0
	Inbox, Announcements, Ver, AVer string // what the script starts from
	unread                          int64
}

// NewBell shows a badge.
func NewBell(text *locale.Printer, b notifier.Badge) Bell {
	bell := Bell{
		Name: text.T("js.bell_none"), Badge: strconv.FormatInt(b.Unread, 10), Hidden: b.Unread == 0, unread: b.Unread,
		Inbox: strconv.FormatInt(b.Inbox, 10), Announcements: strconv.FormatInt(b.Announcements, 10),
		Ver: strconv.FormatInt(b.Ver, 10), AVer: strconv.FormatInt(b.AVer, 10),
	}
	if b.Unread > 0 {
		bell.Name = text.N("js.bell", b.Unread)
	}
	if b.Unread > 99 {
		bell.Badge = "99+"
	}
	return bell
}

// UnknownBell is the bell of a page that could not learn the number.
func UnknownBell(text *locale.Printer) Bell {
	bell := NewBell(text, notifier.Badge{})
	bell.Name = text.T("js.bell_unknown")
	return bell
}

// documentTitle is the page's title with the number before and the name after it.
func (f *Frame) documentTitle() string {
	if f.Viewer != nil && f.Viewer.Bell.unread > 0 {
		return f.Text.F("app.title_unread", "Count", strconv.FormatInt(f.Viewer.Bell.unread, 10), "Title", f.Title)
	}
	return f.Text.F("app.title", "Title", f.Title)
}

// current is the value of aria-current for a link of the navigation.
func (f *Frame) current(section string) string {
	if f.Section == section {
		return "page"
	}
	return "false"
}

// theme is what the user has chosen; empty: as the system has it.
func (f *Frame) theme() string {
	if f.Viewer == nil {
		return ""
	}
	return f.Viewer.Theme
}

// keys tells the script whether there are keyboard shortcuts.
func (f *Frame) keys() string {
	if f.Viewer.KeysOff {
		return "off"
	}
	return "on"
}

// headers is what the script says with each request: whose page it is.
func (v *Viewer) headers() string {
	return `{"` + UserHeader + `":"` + url.QueryEscape(v.Name) + `"}`
}
