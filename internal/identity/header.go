package identity

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// proxiedLife is how long a stream of a user of a proxy lives: the proxy cannot end
// a stream that goes on after its own session.
const proxiedLife = 15 * time.Minute

// Header names the headers in which a proxy that has signed a user in sends who they are.
type Header struct {
	Name       string      // of the header with the user's id
	Display    string      // of the header with their name for people; empty: none
	Email      string      // of the header with their mail address; empty: none
	Groups     string      // of the header with their groups; empty: none
	Separator  string      // between groups; empty: a comma; a space stands for any number of them
	StaffGroup string      // whose members are staff for the request that has it; empty: none
	From       web.Proxies // that are trusted
	Audience   notifier.Audience
}

// proxied is the user in the headers of a proxy.
type proxied struct {
	notifier.ProxiedUser
	staff bool
}

// sum is the key of the user's copy. Lengths keep values apart.
func (p *proxied) sum() [sha256.Size]byte {
	text := []byte("proxy\n" + p.Name)
	for _, field := range []*string{p.Display, p.Email} {
		if field != nil {
			text = fmt.Appendf(text, "\n%d %s", len(*field), *field)
		} else {
			text = append(text, '\n')
		}
	}
	return sha256.Sum256(append(text, p.Notes.String()...))
}

// read returns the user that a proxy names; given is false if no trusted proxy names one. It returns
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
	p.Display, p.Notes.Name = profile(r, h.Display, notifier.CleanDisplay)
	p.Email, p.Notes.Email = profile(r, h.Email, notifier.CleanEmail)
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

// byHeader returns the user that a trusted proxy names.
func (w *Who) byHeader(ctx context.Context, r *http.Request) (asker notifier.Asker, given bool, err error) {
	p, given, err := w.Header.read(r)
	if !given || err != nil {
		return notifier.Asker{}, false, err
	}
	asker, err = w.cached(ctx, p.sum(), func() (notifier.Asker, error) {
		user, session, err := w.People.Proxied(ctx, p.ProxiedUser)
		return notifier.Asker{User: user, Session: session, Proxied: true}, err
	})
	if err != nil {
		return notifier.Asker{}, true, err
	}
	asker.Until = w.Now().Add(proxiedLife)
	if p.staff && !asker.User.HasRole(notifier.RoleStaff) {
		asker.User.Roles = append(slices.Clone(asker.User.Roles), notifier.RoleStaff)
	}
	return asker, true, nil
}

// profile returns the cleaned value of a header of the profile; nil: it is absent, or was dropped. The
// first of several counts.
func profile(r *http.Request, header string, clean func(value string) (string, notifier.Mend)) (*string, notifier.Mend) {
	if header == "" {
		return nil, notifier.Unsaid
	}
	values := r.Header.Values(header)
	if len(values) == 0 {
		return nil, notifier.Unsaid
	}
	value, mend := clean(decoded(values[0]))
	switch {
	case mend == notifier.Dropped:
		return nil, mend
	case mend == notifier.Kept && len(values) > 1:
		mend = notifier.Cut
	}
	return &value, mend
}

// decoded returns the text of a header that a proxy has put into ASCII: as an encoded word (RFC 2047, Tailscale),
// an extended value (RFC 8187) or by percent signs. Headers have no encoding of their own; a text that is
// written in none of these ways is returned as it is.
func decoded(value string) string {
	switch {
	case strings.Contains(value, "=?"):
		if text, err := new(mime.WordDecoder).DecodeHeader(value); err == nil {
			return text
		}
	case len(value) > 7 && strings.EqualFold(value[:7], "utf-8''"):
		if text, ok := unescaped(value[7:]); ok {
			return text
		}
	case strings.Contains(value, "%"):
		if text, ok := unescaped(value); ok && strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			return text // a name such as 100%25 is more likely to be one
		}
	}
	return value
}

func unescaped(value string) (string, bool) {
	text, err := url.PathUnescape(value)
	return text, err == nil && utf8.ValidString(text)
}
