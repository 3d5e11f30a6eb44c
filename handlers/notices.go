package handlers

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	noticesPath = "/staff/notices"
	perPage     = 50
	shownNames  = 3 // of a notice to many users
)

func noticePath(id int64) string { return noticesPath + "/" + strconv.FormatInt(id, 10) }

// notices lists what was sent.
func (h *Handlers) notices(w http.ResponseWriter, r *http.Request) error {
	before := number(r.URL.Query().Get("before"))
	sent, err := h.Directory.Notices(r.Context(), before, perPage+1)
	if err != nil {
		return fmt.Errorf("list notices: %w", err)
	}
	p := &views.Notices{Frame: h.frame(r, "notices", "notices.title")}
	p.Empty = components.Empty{
		Icon:    "mail",
		Heading: p.Text.T("notices.empty_heading"), Text: p.Text.T("notices.empty_text"),
		LinkText: p.Text.T("notices.send_first"), LinkTarget: "/staff/send",
	}
	for _, name := range []string{"title", "target", "sender", "time", "state"} {
		p.Columns = append(p.Columns, components.Column{Text: p.Text.T("notices.column_" + name)})
	}
	if len(sent) > perPage {
		sent = sent[:perPage]
		p.Older = noticesPath + "?before=" + strconv.FormatInt(sent[perPage-1].ID, 10)
	}
	if before > 0 {
		p.Newest = noticesPath
	}
	now := h.now(r)
	for i := range sent {
		n := &sent[i]
		at := n.CreatedAt.In(now.Location())
		p.Rows = append(p.Rows, views.SentRow{
			Href: noticePath(n.ID), Title: n.Title, Sender: n.Sender, Target: targetText(p.Text, n.Target),
			Datetime: at.Format(time.RFC3339),
			Moment:   p.Text.Moment(at), When: p.Text.Day(at, now) + " " + p.Text.Clock(at),
			State: string(n.State), StateText: p.Text.T("state." + string(n.State)),
		})
	}
	return h.page(w, r, http.StatusOK, views.NoticesPage(p))
}

// targetText says to whom a notice went.
func targetText(text *locale.Printer, t notifier.Target) string {
	if t.Role != "" {
		return text.F("notices.target_role", "Name", t.Role)
	}
	if len(t.Users) <= shownNames {
		return strings.Join(t.Users, ", ")
	}
	return text.N("notices.more_users", int64(len(t.Users)-shownNames), "Names", strings.Join(t.Users[:shownNames], ", "))
}
