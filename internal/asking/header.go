package asking

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// askProxy is how long a stream of a user whom a proxy has signed in lives: the proxy never learns of
// a stream that goes on after its own session has ended.
const askProxy = 15 * time.Minute

// Header says in which headers a proxy that has signed a user in says who they are.
type Header struct {
	Name       string      // of the header with the user's id
	Display    string      // of the header with their name for people; empty: none
	Email      string      // of the header with their mail address; empty: none
	Groups     string      // of the header with their groups; empty: none
	Separator  string      // between groups; empty: a comma; a space stands for any number of them
	StaffGroup string      // whose members are staff for the request that says so; empty: none
	From       web.Proxies // who is believed
	Audience   notifier.Audience
}

// proxied is what a proxy says about the user of a request.
type proxied struct {
	notifier.ProxiedUser
	staff bool
}

// sum is the key of the user's copy. Lengths keep values apart.
func (p *proxied) sum() [sha256.Size]byte {
	text := []byte("proxy\n" + p.Name)
	for _, said := range []*string{p.Display, p.Email} {
		if said != nil {
			text = fmt.Appendf(text, "\n%d %s", len(*said), *said)
		} else {
			text = append(text, '\n')
		}
	}
	return sha256.Sum256(append(text, p.Notes.String()...))
}

// read returns what a proxy says; given is false if no trusted proxy says anything. It returns
// notifier.ErrBadIdentity.
func (h *Header) read(r *http.Request) (p proxied, given bool, err error) {
	if h == nil || !h.From.Trust(r) {
		return p, false, nil
	}
	names := r.Header.Values(h.Name)
	switch {
	case len(names) == 0:
		return p, false, nil
	case len(names) > 1, !notifier.ValidName(names[0]):
		return p, false, notifier.ErrBadIdentity
	}
	p.Name, p.Audience = names[0], h.Audience
	p.Display, p.Notes.Name = said(r, h.Display, notifier.CleanDisplay)
	p.Email, p.Notes.Email = said(r, h.Email, notifier.CleanEmail)
	if h.Groups != "" && h.StaffGroup != "" {
		p.staff = slices.ContainsFunc(r.Header.Values(h.Groups), h.makesStaff)
	}
	return p, true, nil
}

// makesStaff reports whether one of the groups in the value of a header is the group of staff. What separates groups is
// configured and never guessed from the value: in a list with commas, a|support is one group. So is a\,support: some
// proxies escape a separator that is part of a name (mod_auth_openidc, Shibboleth).
func (h *Header) makesStaff(value string) bool {
	escaped := false
	for group := range strings.SplitSeq(value, cmp.Or(h.Separator, ",")) {
		if !escaped && strings.TrimSpace(group) == h.StaffGroup {
			return true
		}
		escaped = (len(group)-len(strings.TrimRight(group, `\`)))%2 == 1
	}
	return false
}

// byHeader returns the user whom a trusted proxy names.
func (w *Who) byHeader(ctx context.Context, r *http.Request) (asker notifier.Asker, given bool, err error) {
	p, given, err := w.Header.read(r)
	if !given || err != nil {
		return notifier.Asker{}, false, err
	}
	asker, err = w.remembered(ctx, p.sum(), func() (notifier.Asker, error) {
		user, session, err := w.People.Proxied(ctx, p.ProxiedUser)
		return notifier.Asker{User: user, Session: session, Proxied: true}, err
	})
	if err != nil {
		return notifier.Asker{}, true, err
	}
	asker.Until = w.Now().Add(askProxy)
	if p.staff && !asker.User.HasRole(notifier.RoleStaff) {
		asker.User.Roles = append(slices.Clone(asker.User.Roles), notifier.RoleStaff)
	}
	return asker, true, nil
}
