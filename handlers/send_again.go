package handlers

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views"
	"github.com/carillonhq/carillon/views/locale"
)

// testLife is how long a test notice stays in its sender's inbox.
const testLife = 24 * time.Hour

// duplicated fills in the form like a sent notice. It leaves out the times, which have passed, and the subject,
// because the new notice would replace the old one.
func (h *Handlers) duplicated(r *http.Request, id string) (views.SendForm, error) {
	n, err := h.Sent.Notice(r.Context(), number(id))
	if err != nil {
		return views.SendForm{}, fmt.Errorf("duplicate notice %s: %w", kept(id), err)
	}
	f := views.SendForm{
		Target: "user", To: strings.Join(n.Target.Users, "\n"), Type: n.Type, Scope: n.Scope, Title: n.Title, Body: n.Body, Link: n.Link,
		Toast: n.Toast, Pinned: n.Pinned, LateJoiners: n.LateJoiners, Choices: choiceLines(n.Extras.Ask),
	}
	switch {
	case len(n.Target.RoleNames()) > 0:
		f.Target, f.Roles = "role", n.Target.RoleNames()
	case n.Target.Topic != notifier.Topic{}:
		f.Target, f.Type, f.Scope = "topic", n.Target.Topic.Type, n.Target.Topic.Scope
	case n.Announces():
		f.Target, f.Audiences = "audience", h.boxesOf(n.Target.Audiences)
		return f, nil
	}
	ends := n.ExpiresAt
	if ask := n.Extras.Ask; ask != nil {
		ends = ask.ExpiresAt
	}
	if err := h.duplicateTask(r, &n, &f); err != nil {
		return views.SendForm{}, err
	}
	if life := ends.Sub(n.SentAt()).Round(time.Second); life != h.usualLife(n.Type) {
		f.ExpiresIn = spelled(life)
	}
	return f, nil
}

// sendTest sends the draft only to its sender, who sees it as a recipient would, and shows the form again. The
// recipients need not be valid yet.
func (h *Handlers) sendTest(w http.ResponseWriter, r *http.Request, values url.Values, d notifier.Draft) error {
	me := visitOf(r).user.User.Name
	d.Target, d.Window, d.SendAt = notifier.Target{Users: []string{me}}, notifier.Window{}, time.Time{}
	d.Subject, d.ExpiresIn = "", testLife
	if strings.Trim(d.Type, " ") == "" {
		d.Type = "test"
	}
	p := h.sendPage(r, h.typed(r, values))
	sure, err := h.confirm(r, d)
	if err == nil {
		if _, err = h.Sender.SendTest(r.Context(), h.actor(r), sure); err == nil {
			p.Tested = p.Text.T("send.tested")
			return h.showSend(w, r, http.StatusOK, p)
		}
	}
	bad := merge(err)
	if len(bad.Fields) == 0 {
		return h.notSent(fmt.Errorf("send a test: %w", err), h.typed(r, values))
	}
	h.showFaults(p, bad)
	return h.showSend(w, r, http.StatusUnprocessableEntity, p)
}

// testPath is the address of the form filled in with a first notice to its sender.
func testPath(text *locale.Printer, me string) string {
	return "/staff/send?" + url.Values{"to": {me}, "type": {"test"}, "title": {text.T("send.first_title")}}.Encode()
}
