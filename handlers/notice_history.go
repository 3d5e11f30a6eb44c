package handlers

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	mostPeople = 50 // a notice with more recipients shows only counts
	mostEvents = 50 // in a notice's history, besides sending
)

// history lists a notice's events, newest first. The audit log may not reach back that far, so the sender and the
// time of sending come from the notice itself.
func (h *Handlers) history(r *http.Request, text *locale.Printer, n *notifier.Notice) ([]views.Event, error) {
	log, err := h.Sent.NoticeLog(r.Context(), n.ID, mostEvents)
	if err != nil {
		return nil, fmt.Errorf("show the history of notice %d: %w", n.ID, err)
	}
	names, err := h.calledOf(r.Context(), authors(n, log))
	if err != nil {
		return nil, err
	}
	var events []happened
	for _, e := range log {
		var what string
		switch e.Action {
		case "notice.edit":
			what = "history.edited"
			if e.Detail != "" {
				what = "history.edited_unread"
			}
		case "notice.remind":
			what = "history.reminded"
		case "notice.retract":
			what = "history.retracted"
		default:
			continue
		}
		events = append(events, happened{e.At, text.F(what, "Name", senderText(text, e.Actor, names))})
	}
	if !n.ReleasedAt.IsZero() {
		events = append(events, happened{n.ReleasedAt, text.T("history.released")})
	}
	first := "history.sent"
	if !n.SendAt.IsZero() {
		first = "history.scheduled"
	}
	events = append(events, happened{n.CreatedAt, text.F(first, "Name", senderText(text, n.Sender, names))})
	slices.SortStableFunc(events, func(a, b happened) int { return b.at.Compare(a.at) })
	shown := make([]views.Event, len(events))
	for i, e := range events {
		at := e.at.In(h.zones.of(r))
		shown[i] = views.Event{Text: e.text, Moment: text.Moment(at), Datetime: at.Format(time.RFC3339)}
	}
	return shown, nil
}

// authors returns the users who sent or changed a notice.
func authors(n *notifier.Notice, log []notifier.AuditEntry) []string {
	var names []string
	for _, e := range append(log, notifier.AuditEntry{Actor: n.Sender}) {
		if e.Actor.Kind == notifier.KindUser && e.Actor.Name != "" {
			names = append(names, e.Actor.Name)
		}
	}
	return names
}

// happened is an event and its time.
type happened struct {
	at   time.Time
	text string
}

// people lists the recipients of a notice with few of them, and whether each has read it.
func (h *Handlers) people(r *http.Request, text *locale.Printer, p *notifier.Progress) ([]views.Receipt, error) {
	receipts, err := h.Sender.Receipts(r.Context(), &p.Notice, mostPeople)
	if err != nil {
		return nil, fmt.Errorf("show the recipients of notice %d: %w", p.ID, err)
	}
	people := make([]views.Receipt, len(receipts))
	for i, receipt := range receipts {
		state := "receipt.unread"
		switch {
		case receipt.Read:
			state = "receipt.read"
		case receipt.Delivered && !receipt.Unknown:
		case !receipt.Delivered && !finished(p):
			state = "receipt.waiting"
		default:
			state = "receipt.unknown"
		}
		people[i] = views.Receipt{UserName: receipt.User, Read: receipt.Read, Text: text.T(state)}
	}
	return people, nil
}

// figure answers whether a notice was read. It rounds down, so 100 percent means every recipient.
func figure(text *locale.Printer, read, of int64) *views.Figure {
	return &views.Figure{
		Text:    text.N("notice.figure", of, "Part", text.Number(read)),
		Percent: text.F("notice.percent", "Percent", strconv.FormatInt(100*read/of, 10)),
	}
}
