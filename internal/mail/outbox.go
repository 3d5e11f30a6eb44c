package mail

import (
	"bytes"
	"context"
	"fmt"
	"mime"
	"net/mail"
	"slices"
	"sync"
	"time"
)

// keptLetters is the maximum number of mails in an outbox.
const keptLetters = 50

// Outbox stores mails and shows them instead of sending them, for a demo without a mail server. All methods
// may be called concurrently.
type Outbox struct {
	from *mail.Address
	now  func() time.Time

	mu   sync.Mutex
	last int64
	kept []Kept // newest first
}

// Kept is a mail in an outbox.
type Kept struct {
	Letter
	Number int64 // from 1
	At     time.Time
	Header []Field // decoded, as a mail server would receive it
}

// Field is one line of a header.
type Field struct{ Name, Value string }

// shownFields are the lines of a header that are shown, in this order.
var shownFields = []string{
	"From", "To", "Subject", "Date", "Message-Id", "References", "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "Auto-Submitted", "X-Auto-Response-Suppress", "Content-Language",
}

// NewOutbox returns an empty outbox. from has the form of --mail-from.
func NewOutbox(from string, now func() time.Time) (*Outbox, error) {
	name, address, err := ParseSender(from)
	if err != nil {
		return nil, fmt.Errorf("the sender of mails %w", err)
	}
	return &Outbox{from: &mail.Address{Name: name, Address: address}, now: now}, nil
}

// Send stores mails.
func (o *Outbox) Send(_ context.Context, letters []Letter) []Outcome {
	out := make([]Outcome, len(letters))
	for i := range letters {
		now := o.now()
		header, err := headerOf(&letters[i], o.from, now)
		if err != nil {
			out[i] = Outcome{Verdict: NoMailbox, Text: answerText(err.Error())}
			continue
		}
		o.mu.Lock()
		o.last++
		o.kept = slices.Insert(o.kept[:min(len(o.kept), keptLetters-1)], 0, Kept{Letter: letters[i], Number: o.last, At: now, Header: header})
		o.mu.Unlock()
		out[i] = Outcome{Verdict: Sent, Code: 250}
	}
	return out
}

// Recent returns the last 50 mails, newest first.
func (o *Outbox) Recent() []Kept {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.kept)
}

// headerOf returns the header with which a mail would be sent.
func headerOf(l *Letter, from *mail.Address, now time.Time) ([]Field, error) {
	m, err := l.message(from, now)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if _, err = m.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("write a letter: %w", err)
	}
	sent, err := mail.ReadMessage(&b)
	if err != nil {
		return nil, fmt.Errorf("read a letter: %w", err)
	}
	var fields []Field
	for _, name := range shownFields {
		value := sent.Header.Get(name)
		if text, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
			value = text
		}
		if value != "" {
			fields = append(fields, Field{name, value})
		}
	}
	return fields, nil
}
