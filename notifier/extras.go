package notifier

import (
	"bytes"
	"cmp"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Extras are the optional parts of a notice beside its texts. They are shared, so they must not be modified.
type Extras struct {
	Actor   *RowActor       `json:"actor,omitempty"`
	Image   *Image          `json:"image,omitempty"`
	Actions []Action        `json:"actions,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"` // a JSON object of the sender, passed on and never shown
	More    *More           `json:"more,omitempty"` // with it, notices with the same key share a row until it is read
	Ask     *Ask            `json:"ask,omitempty"`  // with it, the notice is a question
	Take    *Take           `json:"take,omitempty"` // with it, the notice is a task
}

// RowActor is the person or thing that did what a notice reports.
type RowActor struct {
	ID    string `json:"id,omitempty"` // identifies the actor for the sender, and chooses the tint of the initials
	Name  string `json:"name"`
	Image string `json:"image,omitempty"` // https address of a picture; empty: initials
	Gone  string `json:"gone,omitempty"`  // the Code of a user who was deleted; empty for all others
}

// Initials returns the first letter of the first and of the last word of the name, in upper case.
func (a *RowActor) Initials() string {
	words := strings.FieldsFunc(a.Name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) })
	if len(words) > 2 {
		words = []string{words[0], words[len(words)-1]}
	}
	var first strings.Builder
	for _, word := range words {
		c, _ := utf8.DecodeRuneInString(word)
		first.WriteRune(unicode.ToUpper(c))
	}
	return first.String()
}

// Look returns what stands in place of the picture of the actor.
func (a *RowActor) Look() Look {
	return Look{Initials: a.Initials(), Tint: TintOf(cmp.Or(a.ID, a.Gone, a.Name))}
}

// Image is the picture of a notice.
type Image struct {
	URL string `json:"url"`
	Alt string `json:"alt"` // what the picture shows, for those who do not see it
}

// Action is a button of a notice. It leads to an address and marks the notice as read.
type Action struct {
	Label string `json:"label"`
	Link  string `json:"link"`
	Style string `json:"style,omitempty"` // StylePlain or StylePrimary
}

// The styles of a button.
const (
	StylePlain   = "plain"
	StylePrimary = "primary"
)

// Length limits of extras: in characters, except that ids and data are measured in bytes.
const (
	MaxActorName   = 60
	MaxActorID     = 200
	MaxImageAlt    = 120
	MaxActions     = 2
	MaxActionLabel = 24
	MaxData        = 2 << 10
	MaxDataDepth   = 32
)

// IsZero reports whether there are none.
func (x *Extras) IsZero() bool {
	return x.Actor == nil && x.Image == nil && len(x.Actions) == 0 && len(x.Data) == 0 && x.More == nil && x.Ask == nil && x.Take == nil
}

// Settled reports whether the rows of the notice are read although their users may not have read them: its question has ended, or
// somebody has taken its task.
func (x *Extras) Settled() bool { return x.Ask.Ended() || x.Take.Settled() }

// Changed returns the parts that differ from those of was.
func (x Extras) Changed(was *Extras) Extras {
	if reflect.DeepEqual(x.Actor, was.Actor) {
		x.Actor = nil
	}
	if reflect.DeepEqual(x.Image, was.Image) {
		x.Image = nil
	}
	if reflect.DeepEqual(x.Actions, was.Actions) {
		x.Actions = nil
	}
	if bytes.Equal(x.Data, was.Data) {
		x.Data = nil
	}
	if reflect.DeepEqual(x.More, was.More) {
		x.More = nil
	}
	return x
}

// Equal reports whether two notices have the same extras.
func (x *Extras) Equal(y *Extras) bool { return reflect.DeepEqual(x, y) }

// ActionLink returns the link of action number n, counted from 1; ok is false if there is none.
func (x *Extras) ActionLink(n int) (link string, ok bool) {
	if n < 1 || n > len(x.Actions) {
		return "", false
	}
	return x.Actions[n-1].Link, true
}

// WithLinks returns a copy in which each link of an action was replaced.
func (x Extras) WithLinks(resolve func(string) string) Extras {
	actions := make([]Action, 0, len(x.Actions))
	for _, a := range x.Actions {
		a.Link = resolve(a.Link)
		actions = append(actions, a)
	}
	if x.Actions = actions; len(actions) == 0 {
		x.Actions = nil
	}
	return x
}

// compact returns data without insignificant space.
func compact(data json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, data) != nil {
		return data // it is reported as a fault
	}
	return b.Bytes()
}
