package asking

import (
	"context"
	"crypto/sha256"
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
	Groups     string      // of the header with their groups, separated by commas; empty: none
	StaffGroup string      // whose members are staff for the request that says so; empty: none
	From       web.Proxies // who is believed
	Audience   notifier.Audience
}

// proxied is what a proxy says about the user of a request.
type proxied struct {
	notifier.ProxiedUser
	staff bool
}

// sum is the key of the user's copy. No name contains a line feed, nor does a token.
func (p *proxied) sum() [sha256.Size]byte {
	text := "proxy\n" + p.Name
	if p.Display != nil {
		text += "\n" + *p.Display
	}
	return sha256.Sum256([]byte(text))
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
	if h.Display != "" {
		switch said := r.Header.Values(h.Display); {
		case len(said) == 0:
		case len(said) > 1, said[0] != "" && !notifier.ValidName(said[0]):
			return p, false, notifier.ErrBadIdentity
		default:
			p.Display = &said[0]
		}
	}
	if h.Groups != "" && h.StaffGroup != "" {
		groups := strings.Split(strings.Join(r.Header.Values(h.Groups), ","), ",")
		p.staff = slices.ContainsFunc(groups, func(g string) bool { return strings.TrimSpace(g) == h.StaffGroup })
	}
	return p, true, nil
}

// byHeader returns the user whom a trusted proxy names.
func (w *Who) byHeader(ctx context.Context, r *http.Request) (asker notifier.Asker, given bool, err error) {
	p, given, err := w.Header.read(r)
	if !given || err != nil {
		return notifier.Asker{}, false, err
	}
	asker, err = w.remembered(p.sum(), func() (notifier.Asker, error) {
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
