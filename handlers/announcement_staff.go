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

// over says whether nobody sees an announcement any more, nor will.
func over(n *notifier.Notice, now time.Time) bool {
	phase := n.PhaseAt(now)
	return phase == notifier.PhaseClosed || phase == notifier.PhaseRetracted
}

// isOver says the same of any notice: it is retracted, or it has expired.
func isOver(n *notifier.Notice, now time.Time) bool {
	switch {
	case n.Announces():
		return over(n, now)
	case n.State == notifier.StateRetracting, n.State == notifier.StateRetracted:
		return true
	default:
		return !n.ExpiresAt.IsZero() && !n.ExpiresAt.After(now)
	}
}

// fillAnnouncement fills the page of a sent announcement: what it is, who has
// read it, and what can be done about it.
func (h *Handlers) fillAnnouncement(r *http.Request, p *views.Notice, n *notifier.Progress) {
	now := h.now(r)
	p.Announced, p.Card = true, h.postCard(r, p.Frame, &n.Draft)
	p.Facts = h.announcementFacts(p.Text, &n.Notice, now.Location())
	p.Progress = h.announcementProgress(p.Text, n, now)
	// A page that looks again says in which phase it knows the announcement.
	p.Progress.Address = noticePath(n.ID) + "?phase=" + p.Progress.State
	known := r.URL.Query().Get("phase")
	p.Turned = fragment(r) && known != "" && known != p.Progress.State
	if p.Done != nil && r.URL.Query().Get("done") == "retracting" {
		p.Done.Text = p.Text.T("done.retracted") // at once, unlike a notice
	}
	if over(&n.Notice, now) {
		p.Delete = &views.Retract{Action: noticePath(n.ID) + "/delete", Text: p.Text.T("notice.delete_text")}
		return
	}
	p.EditHref = noticePath(n.ID) + "/edit"
	p.Retract = &views.Retract{Action: noticePath(n.ID) + "/retract", Text: p.Text.T("notice.retract_open")}
	if n.PhaseAt(now) == notifier.PhaseScheduled {
		p.Retract.Text = p.Text.T("notice.retract_scheduled")
	}
}

func (h *Handlers) announcementFacts(text *locale.Printer, n *notifier.Notice, zone *time.Location) []views.Fact {
	yesNo := func(name string, is bool) views.Fact {
		if is {
			return fact(text, name, text.T("notice.yes"))
		}
		return fact(text, name, text.T("notice.no"))
	}
	return []views.Fact{
		fact(text, "target", h.targetText(text, n.Target)), fact(text, "sender", n.Sender), h.typeFact(text, n.Type),
		momentFact(text, "created", n.CreatedAt.In(zone)),
		momentFact(text, "opens", n.StartsAt.In(zone)), momentFact(text, "closes", n.EndsAt.In(zone)),
		yesNo("pinned", n.Pinned), yesNo("late_joiners", n.LateJoiners), yesNo("toast", n.Toast), fact(text, "revision", text.Number(n.Revision)),
	}
}

// announcementProgress shows the phase, and of each audience how many have read it.
func (h *Handlers) announcementProgress(text *locale.Printer, n *notifier.Progress, now time.Time) views.Progress {
	phase := n.PhaseAt(now)
	starts, ends := n.StartsAt.In(now.Location()), n.EndsAt.In(now.Location())
	v := views.Progress{
		State: string(phase), StateText: text.T("state." + string(phase)), Finished: strconv.FormatBool(over(&n.Notice, now)),
	}
	switch phase {
	case notifier.PhaseScheduled:
		v.Note = scheduled(text, starts, ends)
	case notifier.PhaseOpen:
		v.Note = text.F("notice.open_until", "End", text.Exact(ends))
	case notifier.PhaseClosed:
		v.Note = text.F("notice.closed_on", "End", text.Exact(ends))
	case notifier.PhaseRetracted:
	}
	for _, s := range n.Shares {
		b := shareBar(text, "read-"+strconv.Itoa(int(s.Audience)), s)
		b.Name = h.audience(text, s.Audience)
		v.Bars = append(v.Bars, b)
	}
	return v
}

// shareBar is how many of those who see an announcement have read it.
func shareBar(text *locale.Printer, id string, s notifier.Share) components.Bar {
	switch {
	case s.Members == 0:
		return components.Bar{ID: id, Text: text.T("notices.nobody")}
	case !s.Counted:
		return components.Bar{ID: id, Text: text.T("notices.not_counted")}
	default:
		b := bar(text, "read", s.Reads, s.Members)
		b.ID = id
		return b
	}
}

// announcedRow fills in what the list of what was sent says of an announcement.
// Nothing is delivered: who looks sees it.
func announcedRow(text *locale.Printer, row *views.SentRow, n *notifier.Progress, now time.Time) {
	phase := n.PhaseAt(now)
	row.Announced, row.Live = true, !over(&n.Notice, now)
	row.State, row.StateText = string(phase), text.T("state."+string(phase))
	if phase == notifier.PhaseScheduled {
		row.Note = text.T("notices.not_open")
		return
	}
	all := notifier.Share{Counted: true}
	for _, s := range n.Shares {
		all.Members, all.Reads, all.Counted = all.Members+s.Members, all.Reads+s.Reads, all.Counted && s.Counted
	}
	if row.Read = shareBar(text, "read", all); row.Read.Max == "" {
		row.Note = row.Read.Text
	}
}

// deleteNotice forgets an announcement that is over.
func (h *Handlers) deleteNotice(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if _, err := form(r); err != nil {
		return err
	}
	switch err := h.Sender.Delete(r.Context(), id); {
	case errors.Is(err, notifier.ErrConflict):
		return fmt.Errorf("delete announcement %d: %w", id, refusedAsOpen(id))
	case err != nil:
		return fmt.Errorf("delete announcement %d: %w", id, err)
	}
	h.audit(r, visitOf(r).user.User.Name, "notice.delete", auditedNotice(id))
	redirect(w, noticesPath+"?done=removed")
	return nil
}
