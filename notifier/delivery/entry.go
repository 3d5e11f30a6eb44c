package delivery

import (
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Kind says what an entry asks for.
type Kind string

// The kinds of entries. All but Whole and Resend are batons: they work through the recipients of a
// notice range by range.
const (
	Whole   Kind = "whole"   // deliver a small notice, which is in the entry
	Deliver Kind = "deliver" // deliver a notice, which is in SQL, and bring rows of older revisions up to date
	Edit    Kind = "edit"    // bring rows of older revisions up to date, and deliver nothing new
	Retract Kind = "retract" // take a notice back
	Resend  Kind = "resend"  // queue the notices of a time again, because Redis lost data
)

// Entry is one piece of work in the stream.
type Entry struct {
	ID    string // stream id; empty while the entry is not in the stream
	Tries int64  // how often the entry was handed out before
	Kind  Kind

	Taken time.Time // when Add was called, if the entry did not go into the stream then

	NoticeID int64 // not for Resend
	Revision int64 // not for Resend: revision of the notice when this work began

	Delivery *notifier.Delivery // Whole: the complete notice
	From, To int64              // batons: recipients with From < seq; with To > 0 also seq <= To, and no entry follows
	Again    bool               // Whole, Deliver, Retract: repeat the work although the notice is marked as finished
	Had      bool               // Whole, Deliver: with Again, it was delivered before Redis lost data

	Trace string // the traceparent of who asked for this; empty: nobody follows it

	Since, After int64 // Resend: notices accepted or changed since then, in ms; the last notice done
}

// Fields is the stored form of an entry, in the stream and in dead letters, except for the content
// of a Whole. It has no kind: instances of earlier versions, which refuse fields that they do not
// know, read the same stream during an upgrade, and entries of theirs may have waited for long.
type Fields struct {
	Notice   int64 `json:"notice,omitempty"`
	From     int64 `json:"from,omitempty"`
	To       int64 `json:"to,omitempty"`
	Again    bool  `json:"again,omitempty"`
	Had      bool  `json:"had,omitempty"`
	Retract  bool  `json:"retract,omitempty"`
	Revision int64 `json:"-"`
}

// Fields returns the stored form of the entry.
func (e Entry) Fields() Fields {
	f := Fields{Notice: e.NoticeID, From: e.From, To: e.To, Again: e.Again, Had: e.Had, Revision: e.Revision}
	switch e.Kind {
	case Whole, Deliver:
	case Edit:
		f.Had = true
	case Retract:
		f.Retract = true
	case Resend:
		f.From, f.To, f.Again = e.After, e.Since, true
	}
	return f
}

// Entry returns the entry that is stored in this form, with its delivery if it is a Whole. This is
// the only place that derives the kind.
func (f Fields) Entry(whole *notifier.Delivery) Entry {
	e := Entry{NoticeID: f.Notice, Revision: f.Revision, From: f.From, To: f.To, Again: f.Again}
	switch {
	case whole != nil:
		return Entry{Kind: Whole, NoticeID: f.Notice, Revision: f.Revision, Delivery: whole, Again: f.Again, Had: f.Had}
	case f.Notice == 0:
		return Entry{Kind: Resend, Since: f.To, After: f.From}
	case f.Retract:
		e.Kind = Retract
	case f.Had && !f.Again:
		e.Kind = Edit
	default:
		e.Kind, e.Had = Deliver, f.Had
	}
	return e
}

// Anew returns the entry as a new one, to be added to the stream.
func (e Entry) Anew() Entry {
	e.ID, e.Tries = "", 0
	return e
}
