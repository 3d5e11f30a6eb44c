package notifier

import (
	"encoding/json"
	"strings"
)

// MaxAppTitle is the maximum length of an app's title in characters.
const MaxAppTitle = 60

// AppLook is how readers see an app. Rows store only the name of their app, so they follow a change.
type AppLook struct {
	Title string // empty: its name
	Icon  string // an https address on a host of pictures; empty: none
}

// RowApp is the app of a row as readers see it.
type RowApp struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Icon  string `json:"icon,omitempty"`
}

// NamedApp returns an app of which only the name is known, such as a revoked one.
func NamedApp(name string) RowApp { return RowApp{Name: name, Title: name} }

// Shown returns the app as rows show it.
func (a *App) Shown() RowApp {
	shown := NamedApp(a.Name)
	if a.Title != "" {
		shown.Title = a.Title
	}
	shown.Icon = a.Icon
	return shown
}

// checkTitle normalises the title and the icon, and checks the title.
func (a *App) checkTitle(bad *InvalidError) {
	a.Title = strings.Trim(strings.ReplaceAll(a.Title, "\t", " "), " ")
	a.Icon = strings.TrimSpace(a.Icon)
	if a.Title != "" {
		checkLine("title", a.Title, MaxAppTitle, bad)
	}
}

// CheckIcon returns an *InvalidError unless the icon is empty or an https address on one of the hosts of pictures, or on a
// host below one.
func (a *App) CheckIcon(hosts []string) error {
	var bad InvalidError
	if a.Icon != "" {
		checkImage("icon", a.Icon, Limits{ImageHosts: hosts}, &bad)
	}
	return bad.OrNil()
}

// ShowApp returns the JSON of a content, or of an event that begins with one, with its app as rows show it instead of its
// name. JSON of a notice that no app sent is returned unchanged.
func ShowApp(content string, shown func(name string) RowApp) string {
	const head, data = `,"app":"`, `,"data":{` // in strings their quotes are escaped
	at := strings.Index(content, head)
	if at < 0 {
		return content
	}
	if before := strings.Index(content, data); before >= 0 && before < at { // the app comes before the data
		return content
	}
	from := at + len(head) - 1
	var name string
	dec := json.NewDecoder(strings.NewReader(content[from:]))
	if dec.Decode(&name) != nil {
		return content
	}
	text, err := json.Marshal(shown(name))
	if err != nil { // never: it consists of strings
		return content
	}
	return content[:from] + string(text) + content[from+int(dec.InputOffset()):]
}
