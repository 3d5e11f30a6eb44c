package handlers

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/components"
)

// Unread finds the recipients who have not read a notice; see internal/instance.
type Unread interface {
	// UnreadBy returns at most most users with a seq above after who have the notice unread in their inbox, and the
	// seq to continue after, or 0 at the end. A search that reaches its time limit returns fewer.
	UnreadBy(ctx context.Context, n *notifier.Notice, after int64, most int) ([]notifier.UserName, int64, error)
}

// unreadPath is the list of recipients who have not read a notice.
func unreadPath(id int64) string { return noticePath(id) + "/unread" }

// unreadBy lists the recipients who have not read a notice, page by page.
func (h *Handlers) unreadBy(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	n, err := h.Sent.Notice(r.Context(), id)
	if err != nil {
		return fmt.Errorf("show notice %d: %w", id, err)
	}
	if n.Announces() || !n.Routed {
		return fmt.Errorf("nobody has notice %d in their inbox: %w", id, notifier.ErrNotFound)
	}
	after := number(r.URL.Query().Get("after"))
	users, next, err := h.Unread.UnreadBy(r.Context(), &n, after, mostPeople)
	if err != nil {
		return fmt.Errorf("list who has not read notice %d: %w", id, err)
	}
	p := &views.UnreadBy{Frame: h.frame(r, "notices", "receipt.unread_title"), Notice: views.Link{Text: n.Title, Href: noticePath(id)}, People: users}
	if after > 0 {
		p.First = unreadPath(id)
	}
	p.NextText = p.Text.T("receipt.next")
	if next > 0 {
		p.Next = unreadPath(id) + "?after=" + strconv.FormatInt(next, 10)
		if len(users) < mostPeople {
			p.NextText = p.Text.T("notices.search_on")
		}
	}
	p.Empty = components.Empty{Icon: "mail-open", Heading: p.Text.T("receipt.nobody"), Text: p.Text.T("receipt.unread_hint")}
	if after > 0 || next > 0 {
		p.Empty.Heading = p.Text.T("receipt.nobody_else")
	}
	return h.page(w, r, http.StatusOK, views.UnreadByPage(p))
}
