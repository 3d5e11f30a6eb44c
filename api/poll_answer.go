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

// pollAnswer is what a poll answers. As XML the same words are elements.
type pollAnswer struct {
	XMLName xml.Name     `json:"-" xml:"poll"`
	Unread  int64        `json:"unread" xml:"unread" minimum:"0" doc:"The number on the bell: unread notices and unread announcements."`
	Newest  int64        `json:"newest" xml:"newest" minimum:"0" doc:"What to give as since next time."`
	Summary string       `json:"summary" xml:"summary" doc:"One line for a status bar, in the user's language."`
	Next    string       `json:"next" xml:"next" doc:"What to give as after for the next page; empty on the last."`
	Notices []pollNotice `json:"notices" xml:"notices>notice" nullable:"false" doc:"Newest first."`
}

// pollNotice is a notice as it stands in an inbox.
type pollNotice struct {
	Key       string `json:"key" xml:"key" doc:"Names the notice in this inbox: its type and subject."`
	ID        int64  `json:"id" xml:"id" doc:"Names what was sent."`
	Type      string `json:"type" xml:"type" doc:"What kind of notice it is."`
	Scope     string `json:"scope" xml:"scope" doc:"Where it belongs, such as a warehouse; may be empty."`
	Title     string `json:"title" xml:"title" doc:"One line."`
	Body      string `json:"body" xml:"body" doc:"Text; lines end with a line feed. May be empty."`
	Link      string `json:"link" xml:"link" doc:"Where it leads: a path from /, or an https address; may be empty."`
	Read      bool   `json:"read" xml:"read" doc:"Whether the user has read it."`
	CreatedAt string `json:"created_at" xml:"created_at" format:"date-time" doc:"When it was accepted."`
	ExpiresAt string `json:"expires_at,omitempty" xml:"expires_at,omitempty" format:"date-time" doc:"When it leaves the inbox by itself."`
	Reason    string `json:"reason" xml:"reason" doc:"Why the user got it: user, role:NAME or topic:TYPE:SCOPE."`
}

func newPollNotice(e *notifier.Entry) pollNotice {
	n := pollNotice{
		Key: e.Key, ID: e.NoticeID, Type: e.Type, Scope: e.Scope, Title: e.Title, Body: e.Body, Link: e.Link,
		Read: e.Read, CreatedAt: rfc3339(e.CreatedAt), Reason: e.Reason,
	}
	if !e.ExpiresAt.IsZero() {
		n.ExpiresAt = rfc3339(e.ExpiresAt)
	}
	return n
}

func rfc3339(t time.Time) string { return t.UTC().Format(timeLayout) }

// encode is the answer as it goes out, ended by a line feed.
func (a *pollAnswer) encode(asXML bool) ([]byte, error) {
	var b bytes.Buffer
	if asXML {
		b.WriteString(xml.Header)
		// What XML cannot say, U+FFFE for one, becomes U+FFFD.
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
