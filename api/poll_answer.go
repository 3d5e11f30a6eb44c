package api

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// timeLayout is RFC 3339 with all three digits of the milliseconds.
const timeLayout = "2006-01-02T15:04:05.000Z07:00"

// pollAnswer is the answer to a poll. In XML its fields are elements of the same names.
type pollAnswer struct {
	XMLName xml.Name     `json:"-" xml:"poll"`
	Unread  int64        `json:"unread" xml:"unread" minimum:"0" doc:"The badge: the number of unread notices and unread announcements."`
	Newest  int64        `json:"newest" xml:"newest" minimum:"0" doc:"The value of since for the next poll."`
	Summary string       `json:"summary" xml:"summary" doc:"One line for a status bar, in the user's language."`
	Next    string       `json:"next" xml:"next" doc:"The value of after for the next page; empty on the last page."`
	Notices []pollNotice `json:"notices" xml:"notices>notice" nullable:"false" doc:"Newest first."`
}

// pollNotice is an inbox entry in the answer to a poll.
type pollNotice struct {
	Key       string  `json:"key" xml:"key" doc:"Identifies the entry in this inbox. Made of the type and subject of the notice, and of the app that sent it; take it as it is."`
	ID        int64   `json:"id" xml:"id" doc:"The ID of the notice."`
	Type      string  `json:"type" xml:"type" doc:"The type of the notice."`
	Scope     string  `json:"scope" xml:"scope" doc:"The part of the application that the notice belongs to, such as a warehouse; may be empty."`
	Title     string  `json:"title" xml:"title" doc:"One line."`
	Body      string  `json:"body" xml:"body" doc:"Text; lines end with a line feed. May be empty."`
	Link      string  `json:"link" xml:"link" doc:"An address, or a path that begins with /; may be empty. A link of an app is an address on its pages."`
	Read      bool    `json:"read" xml:"read" doc:"Whether the user has read it."`
	CreatedAt string  `json:"created_at" xml:"created_at" format:"date-time" doc:"When the notice was accepted."`
	ExpiresAt string  `json:"expires_at,omitempty" xml:"expires_at,omitempty" format:"date-time" doc:"When the notice leaves the inbox."`
	Reason    string  `json:"reason" xml:"reason" doc:"Why the user received it: user, role:NAME or topic:TYPE:SCOPE."`
	App       *rowApp `json:"app" xml:"app,omitempty" doc:"The app that sent it; null if none did, and in XML left out."`
	RowExtras
}

func newPollNotice(e *notifier.Entry, app *rowApp) pollNotice {
	n := pollNotice{
		Key: e.Key, ID: e.NoticeID, Type: e.Type, Scope: e.Scope, Title: e.Title, Body: e.Body, Link: e.Link,
		Read: e.Read, CreatedAt: rfc3339(e.CreatedAt), Reason: e.Reason, App: app, RowExtras: newRowExtras(e),
	}
	if !e.ExpiresAt.IsZero() {
		n.ExpiresAt = rfc3339(e.ExpiresAt)
	}
	return n
}

func rfc3339(t time.Time) string { return t.UTC().Format(timeLayout) }

// encode encodes the answer as JSON or XML, with a line feed at the end.
func (a *pollAnswer) encode(asXML bool) ([]byte, error) {
	var b bytes.Buffer
	if asXML {
		b.WriteString(xml.Header)
		// Characters that XML cannot represent, such as U+FFFE, become U+FFFD.
		if err := xml.NewEncoder(&b).Encode(a); err != nil {
			return nil, fmt.Errorf("encode a poll as XML: %w", err)
		}
		b.WriteByte('\n')
		return b.Bytes(), nil
	}
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(a); err != nil {
		return nil, fmt.Errorf("encode a poll as JSON: %w", err)
	}
	return b.Bytes(), nil
}
