package handlers

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

// notice shows a sent notice and its progress.
func (h *Handlers) notice(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	progress, err := h.Sender.Progress(r.Context(), id)
	if err != nil {
		return fmt.Errorf("show notice %d: %w", id, err)
	}
	f := h.frame(r, "notices", "")
	f.Title = progress.Title
	p := &views.Notice{
		Frame: f, Card: h.card(f.Text, progress.Draft, progress.SentAt().In(h.zones.of(r))),
		DuplicateHref: "/staff/send?from=" + strconv.FormatInt(id, 10),
	}
	names, err := h.calledIn(r.Context(), &progress.Notice)
	if err != nil {
		return err
	}
	if p.History, err = h.history(r, f.Text, &progress.Notice); err != nil {
		return err
	}
	if p.Why, err = h.why(r, f.Text, &progress.Notice); err != nil {
		return err
	}
	if progress.Announces() {
		h.fillAnnouncement(r, p, &progress)
		return h.page(w, r, http.StatusOK, views.NoticePage(p))
	}
	p.Facts, p.Progress = h.facts(f.Text, &progress.Notice, names, h.zones.of(r)), progressView(f.Text, progress)
	if p.Progress.People, err = h.people(r, f.Text, &progress); err != nil {
		return err
	}
	if unread := progress.Recipients - progress.Read; progress.Routed && progress.Recipients > mostPeople && progress.Counted && !progress.ReadUnknown && unread > 0 {
		p.Progress.Unread = &views.Link{Text: f.Text.T("receipt.see_unread"), Href: unreadPath(id)}
	}
	if !finished(&progress) && h.redisAway(r) {
		p.Progress.Note = waiting(f.Text, progress.State)
	}
	p.Remind = h.reminding(r, &f, &progress)
	p.Refresh = p.Progress.Finished == "false"
	p.Progress.Address = noticePath(id)
	p.Dead = h.deadLettersOf(r, f.Text, id)
	switch {
	case isOver(&progress.Notice, h.Now()):
		p.Unseen = f.Text.T("notice.unseen")
	case progress.Extras.Ask == nil: // the words of a question are fixed
		p.EditHref = noticePath(id) + "/edit"
	}
	if r.URL.Query().Get("done") == "retracting" {
		p.Done = nil // the state shows it, and later its end
	}
	if progress.State != notifier.StateRetracting && progress.State != notifier.StateRetracted {
		p.Retract = &views.Retract{Action: noticePath(id) + "/retract", Text: retractText(f.Text, &progress.Notice)}
	}
	return h.page(w, r, http.StatusOK, views.NoticePage(p))
}

// retract retracts a notice. If that has begun already, it is not an error.
func (h *Handlers) retract(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if _, err := form(r); err != nil {
		return err
	}
	switch err := h.Sender.Retract(r.Context(), h.actor(r), id); {
	case errors.Is(err, notifier.ErrConflict):
		// An announcement that is over cannot be retracted.
		if p, err := h.Sender.Progress(r.Context(), id); err != nil || p.Announces() {
			return errors.Join(err, fmt.Errorf("retract announcement %d: %w", id, refusedAsOver(id)))
		}
	case err != nil:
		return fmt.Errorf("retract notice %d: %w", id, err)
	}
	redirect(w, r, noticePath(id)+"?done=retracting")
	return nil
}

func retractText(text *locale.Printer, n *notifier.Notice) string {
	if n.State == notifier.StateScheduled {
		return text.T("notice.cancel_text")
	}
	if !n.Routed {
		return text.T("notice.retract_early")
	}
	return text.N("notice.retract_text", n.Recipients)
}

func (h *Handlers) facts(text *locale.Printer, n *notifier.Notice, names called, zone *time.Location) []views.Fact {
	list := []views.Fact{
		fact(text, "target", h.targetText(text, n.Target, names)), h.typeFact(text, n.Type),
	}
	if subject := n.GivenSubject(); subject != "" {
		list = append(list, fact(text, "subject", subject))
	}
	if n.Scope != "" {
		list = append(list, fact(text, "scope", n.Scope))
	}
	if n.State == notifier.StateScheduled {
		list = append(list, momentFact(text, "send_at", n.SendAt.In(zone)))
	}
	list = append(list, momentFact(text, "expires", n.ExpiresAt.In(zone)))
	if n.Toast {
		list = append(list, fact(text, "toast", text.T("notice.yes")))
	}
	if n.Revision > 0 {
		list = append(list, fact(text, "revision", text.Number(n.Revision)))
	}
	return list
}

// typeFact shows a type's slug, and its name if it has one.
func (h *Handlers) typeFact(text *locale.Printer, typ string) views.Fact {
	if name := h.typeNames(text).given(typ); name != "" {
		return fact(text, "type", text.F("notice.type_named", "Name", name, "Type", typ))
	}
	return fact(text, "type", typ)
}

func fact(text *locale.Printer, name, value string) views.Fact {
	return views.Fact{Name: text.T("notice." + name), Value: value}
}

func momentFact(text *locale.Printer, name string, at time.Time) views.Fact {
	return views.Fact{Name: text.T("notice." + name), Value: text.Moment(at), Datetime: at.Format(time.RFC3339)}
}

// finished reports whether a notice has reached its final state.
func finished(p *notifier.Progress) bool {
	return p.State == notifier.StateSent || p.State == notifier.StateRetracted
}

// progressView shows the state and, once the recipients are known, how many of them received and read the notice.
func progressView(text *locale.Printer, p notifier.Progress) views.Progress {
	v := views.Progress{State: string(p.State), StateText: text.T("state." + string(p.State))}
	v.Finished = strconv.FormatBool(finished(&p))
	switch {
	case p.State == notifier.StateScheduled:
		v.Note = text.T("notice.scheduled")
	case !p.Routed:
		v.Note = text.T("notice.not_routed")
	case !p.Counted:
		v.Note = text.T("notice.not_counted")
	case p.Recipients == 0:
		v.Note = text.T("notice.nobody")
	default:
		v.Bars = []components.Bar{bar(text, "delivered", p.Delivered, p.Recipients), readBar(text, &p)}
		if !p.ReadUnknown {
			v.Figure = figure(text, p.Read, p.Recipients)
		}
	}
	return v
}

// waiting explains, while Redis is unavailable, what a notice is waiting for.
func waiting(text *locale.Printer, state notifier.State) string {
	if state == notifier.StateRetracting {
		return text.T("notice.retract_waits")
	}
	return text.T("notice.waits")
}

// readBar shows how many recipients have read a notice. The number is unknown once the notice has left the only inbox
// it was delivered to.
func readBar(text *locale.Printer, p *notifier.Progress) components.Bar {
	if p.ReadUnknown {
		return components.Bar{ID: "read", Name: text.T("notice.read"), Text: text.T("notice.read_unknown")}
	}
	return bar(text, "read", p.Read, p.Recipients)
}

func bar(text *locale.Printer, id string, part, of int64) components.Bar {
	return components.Bar{
		ID: id, Name: text.T("notice." + id), Value: strconv.FormatInt(part, 10), Max: strconv.FormatInt(of, 10),
		Text: text.N("notice.share", of, "Part", text.Number(part)),
	}
}
