package api

import (
	"encoding/json"
	"encoding/xml"
	"fmt"

	"github.com/danielgtaylor/huma/v2"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/carillonhq/carillon/notifier"
)

type upToActions struct{}

func (upToActions) most() int { return notifier.MaxActions }

// The next four types are embedded in others. They are exported because Huma leaves out embedded types that are not.

// ExtrasInput is what a notice has beside its texts, in a request.
type ExtrasInput struct {
	Actor   *actorJSON                       `json:"actor,omitempty" doc:"Who did it. Rows show their picture or initials. Announcements have none."`
	Image   *imageJSON                       `json:"image,omitempty" doc:"A picture, shown below the text."`
	Actions bounded[actionJSON, upToActions] `json:"actions,omitempty" doc:"Up to two buttons. Following one marks the notice as read."`
	Data    *verbatim                        `json:"data,omitempty" doc:"A JSON object for your application: at most 2 KiB and 32 levels. Returned unchanged with each row; never shown, searched or logged."`
	More    *moreJSON                        `json:"more,omitempty" doc:"With it, notices of the same type and subject share a row until it is read, which shows these words instead of the title once there are several actors. Announcements have none."`
}

// moreJSON is the title for several actors in requests and answers.
type moreJSON struct {
	One   string `json:"one,omitempty" doc:"For one actor besides the latest. Default: other."`
	Other string `json:"other" doc:"For several: 1 to 200 characters, with {actor} for the latest actor and {others} for the number of the others."`
}

// actorJSON is an actor in requests and answers.
type actorJSON struct {
	ID    string `json:"id,omitempty" xml:"id,omitempty" doc:"Identifies the actor in your application; up to 200 bytes."`
	Name  string `json:"name" xml:"name" doc:"1 to 60 characters."`
	Image string `json:"image,omitempty" xml:"image,omitempty" doc:"The https address of a picture on one of the hosts of --image-hosts."`
}

// imageJSON is a picture in requests and answers.
type imageJSON struct {
	URL string `json:"url" xml:"url" doc:"The https address of the picture, on one of the hosts of --image-hosts."`
	Alt string `json:"alt" xml:"alt" doc:"What the picture shows, in 1 to 120 characters."`
}

// actionJSON is a button in requests and answers.
type actionJSON struct {
	Label string `json:"label" xml:"label" doc:"1 to 24 characters."`
	Link  string `json:"link" xml:"link" doc:"Where it leads, with the rules of link."`
	Style string `json:"style,omitempty" xml:"style,omitempty" enum:"plain,primary" doc:"Default: plain."`
}

// extras converts the input.
func (x *ExtrasInput) extras() (to notifier.Extras) {
	to.Actor = x.Actor.actor()
	if x.Image != nil {
		to.Image = (*notifier.Image)(x.Image)
	}
	to.Actions = actionsOf(x.Actions)
	if x.Data != nil {
		to.Data = x.Data.RawMessage
	}
	to.More = (*notifier.More)(x.More)
	return to
}

func actionsOf(list []actionJSON) (to []notifier.Action) {
	for _, a := range list {
		to = append(to, notifier.Action(a))
	}
	return to
}

// ExtrasEdit holds the extras of a notice to change.
type ExtrasEdit struct {
	Actor   nullable[actorJSON]                        `json:"actor,omitzero" doc:"The new actor; null for none."`
	Image   nullable[imageJSON]                        `json:"image,omitzero" doc:"The new picture; null for none."`
	Actions nullable[bounded[actionJSON, upToActions]] `json:"actions,omitzero" doc:"The new buttons; null for none."`
	Data    nullable[verbatim]                         `json:"data,omitzero" doc:"The new data; null for none."`
	More    nullable[moreJSON]                         `json:"more,omitzero" doc:"The new title for several actors; null for none."`
}

func (e *ExtrasEdit) apply(x *notifier.Extras) {
	if e.Actor.Given {
		x.Actor = e.Actor.Value.actor()
	}
	if e.Image.Given {
		x.Image = (*notifier.Image)(e.Image.Value)
	}
	if e.Actions.Given {
		x.Actions = nil
		if e.Actions.Value != nil {
			x.Actions = actionsOf(*e.Actions.Value)
		}
	}
	if e.Data.Given {
		x.Data = nil
		if e.Data.Value != nil {
			x.Data = e.Data.Value.RawMessage
		}
	}
	if e.More.Given {
		x.More = (*notifier.More)(e.More.Value)
	}
}

// ExtrasOutput is what a notice has beside its texts, as it was sent.
type ExtrasOutput struct {
	Actor   *actorJSON   `json:"actor,omitempty" doc:"Who did it."`
	Image   *imageJSON   `json:"image,omitempty" doc:"The picture."`
	Actions []actionJSON `json:"actions,omitempty" doc:"The buttons. Their links are addresses on the pages of the app, if it sent the notice."`
	Data    *verbatim    `json:"data,omitempty" doc:"The data of the application."`
	More    *moreJSON    `json:"more,omitempty" doc:"The title for several actors."`
}

func newExtrasOutput(x *notifier.Extras) ExtrasOutput {
	return ExtrasOutput{actorFrom(x.Actor), (*imageJSON)(x.Image), actionsFrom(x.Actions), verbatimOf(x.Data), (*moreJSON)(x.More)}
}

func (a *actorJSON) actor() *notifier.RowActor {
	if a == nil {
		return nil
	}
	return &notifier.RowActor{ID: a.ID, Name: a.Name, Image: a.Image}
}

func actorFrom(a *notifier.RowActor) *actorJSON {
	if a == nil {
		return nil
	}
	return &actorJSON{a.ID, a.Name, a.Image}
}

func actionsFrom(list []notifier.Action) (to []actionJSON) {
	for _, a := range list {
		to = append(to, actionJSON(a))
	}
	return to
}

// RowExtras is what a row shows beside its texts.
type RowExtras struct {
	Actors  actorList  `json:"actors,omitzero" xml:"actors,omitempty" doc:"Who did it, the latest first, at most three. Left out if the notice has neither actor nor more, as are the next two."`
	Others  *int64     `json:"others,omitempty" xml:"others,omitempty" minimum:"0" doc:"How many actors there are besides the latest. 50 means 50 or more."`
	Times   *int64     `json:"times,omitempty" xml:"times,omitempty" minimum:"1" doc:"How many notices the row stands for."`
	Image   *imageJSON `json:"image,omitempty" xml:"image,omitempty" doc:"The picture."`
	Actions actionList `json:"actions,omitempty" xml:"actions,omitempty" doc:"The buttons. Show them as links; report the notice as read when one is followed."`
	Data    *verbatim  `json:"data,omitempty" xml:"data,omitempty" doc:"The data of the sender's application, as it was sent."`
	Ask     *rowAsk    `json:"ask,omitempty" xml:"ask,omitempty" doc:"What the notice asks. Left out if it is no question."`
	Take    *rowTake   `json:"take,omitempty" xml:"take,omitempty" doc:"Who has the task that the notice is. Left out if it is none. POST /me/take, /me/done and /me/give-back expect the ID of the notice."`
}

func newRowExtras(e *notifier.Entry) RowExtras {
	x := &e.Extras
	row := RowExtras{Ask: newRowAsk(x.Ask), Take: newRowTake(x.Take), Image: (*imageJSON)(x.Image), Actions: actionsFrom(x.Actions), Data: verbatimOf(x.Data)}
	if g := e.Group; g != nil {
		others, times := int64(g.Others()), int64(g.Times)
		row.Actors, row.Others, row.Times = actorList{}, &others, &times
		for _, a := range g.Actors {
			row.Actors = append(row.Actors, *actorFrom(&a))
		}
	}
	return row
}

// actorList and actionList are lists whose elements have names in XML. With `xml:"actors>actor,omitempty"` an empty list
// would be an empty element.
type (
	actorList  []actorJSON
	actionList []actionJSON
)

// MarshalXML writes the list as an element.
func (l actorList) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(struct {
		Of []actorJSON `xml:"actor"`
	}{l}, start)
}

// MarshalXML writes the list as an element.
func (l actionList) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(struct {
		Of []actionJSON `xml:"action"`
	}{l}, start)
}

// verbatim is a JSON object whose members only the caller knows. Its size is bounded by that of the body.
type verbatim struct{ json.RawMessage }

func verbatimOf(raw json.RawMessage) *verbatim {
	if len(raw) == 0 {
		return nil
	}
	return &verbatim{raw}
}

// UnmarshalJSONFrom reads the object as it is.
func (o *verbatim) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if kind := dec.PeekKind(); kind != '{' {
		return fmt.Errorf("expected an object, got %q", kind)
	}
	raw, err := dec.ReadValue()
	o.RawMessage = json.RawMessage(raw.Clone())
	return err
}

// MarshalXML writes the object as the text of an element.
func (o *verbatim) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	return e.EncodeElement(string(o.RawMessage), start)
}

// Schema describes the object in the document.
func (verbatim) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}
