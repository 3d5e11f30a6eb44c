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

// over reports whether an announcement is closed or retracted: readers will not see it again.
func over(n *notifier.Notice, now time.Time) bool {
	phase := n.PhaseAt(now)
	return phase == notifier.PhaseClosed || phase == notifier.PhaseRetracted
}

// isOver is like over, for any notice: a notice to inboxes is over when it is retracted or expired.
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

// fillAnnouncement fills in the staff page of an announcement: its facts, how many members have read it, and its
// actions.
func (h *Handlers) fillAnnouncement(r *http.Request, p *views.Notice, n *notifier.Progress) {
	now := h.now(r)
	p.Announced, p.Card = true, h.announcementCard(r, p.Frame, &n.Draft)
	p.Facts = h.announcementFacts(p.Text, &n.Notice, now.Location())
	p.Progress = h.announcementProgress(p.Text, n, now)
	// A page that polls sends the phase it shows, to detect a change.
	p.Progress.Address = noticePath(n.ID) + "?phase=" + p.Progress.State
	known := r.URL.Query().Get("phase")
	p.Turned = fragment(r) && known != "" && known != p.Progress.State
	if p.Done != nil && r.URL.Query().Get("done") == "retracting" {
		p.Done.Text = p.Text.T("done.retracted") // takes effect at once, unlike retracting a notice
	}
	if over(&n.Notice, now) {
		p.Unseen = p.Text.T("notice.unseen")
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
	list := []views.Fact{
		fact(text, "target", h.targetText(text, n.Target, nil)), h.typeFact(text, n.Type),
		momentFact(text, "opens", n.StartsAt.In(zone)), momentFact(text, "closes", n.EndsAt.In(zone)),
		yesNo("pinned", n.Pinned), yesNo("late_joiners", n.LateJoiners), yesNo("toast", n.Toast),
	}
	if n.Revision > 0 {
		list = append(list, fact(text, "revision", text.Number(n.Revision)))
	}
	return list
}

// announcementProgress builds the phase and, for each audience, how many members have read the announcement.
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
		b.Name = text.F("notice.read_of", "Name", h.audience(text, s.Audience))
		v.Bars = append(v.Bars, b)
	}
	if all := allShares(n.Shares); phase != notifier.PhaseScheduled && all.Counted && all.Members > 0 {
		v.Figure = figure(text, all.Reads, all.Members)
	}
	return v
}

// shareBar shows how many members of an audience have read an announcement.
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

// allShares sums the shares of the audiences.
func allShares(shares []notifier.Share) notifier.Share {
	all := notifier.Share{Counted: true}
	for _, s := range shares {
		all.Members, all.Reads, all.Counted = all.Members+s.Members, all.Reads+s.Reads, all.Counted && s.Counted
	}
	return all
}

// announcedRow fills in an announcement's row in the list of sent notices. It has no delivery column, because
// announcements are not delivered to inboxes.
func announcedRow(text *locale.Printer, row *views.SentRow, n *notifier.Progress, now time.Time) {
	phase := n.PhaseAt(now)
	row.Announced, row.Live = true, !over(&n.Notice, now)
	row.State, row.StateText = string(phase), text.T("state."+string(phase))
	if phase == notifier.PhaseScheduled {
		row.Note = text.T("notices.not_open")
		return
	}
	if row.Read = shareBar(text, "read", allShares(n.Shares)); row.Read.Max == "" {
		row.Note = row.Read.Text
	}
}

// deleteNotice deletes an announcement that is over; while it is scheduled or open, the form is refused.
func (h *Handlers) deleteNotice(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if _, err := form(r); err != nil {
		return err
	}
	switch err := h.Sender.Delete(r.Context(), h.actor(r), id); {
	case errors.Is(err, notifier.ErrConflict):
		return fmt.Errorf("delete announcement %d: %w", id, refusedAsOpen(id))
	case err != nil:
		return fmt.Errorf("delete announcement %d: %w", id, err)
	}
	redirect(w, r, noticesPath+"?done=removed")
	return nil
}
