package person

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Add adds a user. It returns a *notifier.InvalidError, notifier.ErrConflict for a name in use (notifier.ErrLeaving
// while its user is being deleted) or notifier.ErrFull.
func (p *People) Add(ctx context.Context, by notifier.Actor, u notifier.NewUser) (notifier.User, error) {
	added, err := p.Store.CreateUser(ctx, u)
	if err == nil {
		p.record(ctx, by, "user.add", notifier.UserRef(added), strings.Join(added.Roles, ","))
	}
	return added, err
}

// Import adds the users of a file that next returns until io.EOF, either all of them or none, and
// returns their number. See store.ImportUsers for the errors.
func (p *People) Import(
	ctx context.Context, by notifier.Actor, file string, total int, next func() (notifier.NewUser, int, error), progress func(done int),
) (int, error) {
	n, err := p.Store.ImportUsers(ctx, total, next, progress)
	if err == nil {
		p.record(ctx, by, "user.import", notifier.FileRef(file), fmt.Sprintf("%d users", n))
	}
	return n, err
}

// Put adds a user, or changes the fields that are given: audience, language, all roles. A user moved to another
// audience gets the new audience's announcements instead of the old one's in all open streams.
func (p *People) Put(ctx context.Context, by notifier.Actor, u notifier.PutUser) (has notifier.User, created bool, err error) {
	had, err := p.Store.UserByName(ctx, u.Name)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return has, false, err
	}
	has, created, err = p.Store.PutUser(ctx, u)
	switch {
	case err != nil:
	case created:
		p.record(ctx, by, "user.add", notifier.UserRef(has), strings.Join(has.Roles, ","))
	default:
		p.Sessions.Publish(ctx, has.Seq)
		if detail := p.difference(had, has); detail != "" {
			p.record(ctx, by, "user.edit", notifier.UserRef(has), detail)
		}
	}
	return has, created, err
}

// Arrive returns the user of a token. The first token of a user adds them, and a newer one updates them with its
// claims; see store.Arrive for the errors.
func (p *People) Arrive(ctx context.Context, t *notifier.UserToken) (notifier.User, error) {
	u, created, changed, err := p.Store.Arrive(ctx, t)
	if err != nil {
		return u, err
	}
	switch {
	case created:
		p.record(ctx, notifier.Actor{Ref: notifier.AppRef(t.App.Name)}, "user.add", notifier.UserRef(u), strings.Join(u.Roles, ","))
	case changed:
		p.Sessions.Publish(ctx, u.Seq)
	}
	return u, nil
}

// Proxied returns the user that a proxy has signed in, and the session that their streams depend on. The first
// request of a user adds them; see store.Proxied for the errors.
func (p *People) Proxied(ctx context.Context, who notifier.ProxiedUser) (u notifier.User, session string, err error) {
	u, since, err := p.met(ctx, who, "named by the proxy")
	if err != nil {
		return u, "", err
	}
	return u, notifier.TokenSession{Seq: u.Seq, IssuedAt: since}.String(), nil
}

// Provided returns the user that an identity provider has signed in. The first sign-in of a user adds them; see
// store.Proxied for the errors.
func (p *People) Provided(ctx context.Context, who notifier.ProxiedUser) (notifier.User, error) {
	u, _, err := p.met(ctx, who, "named by the identity provider")
	return u, err
}

// met returns a user that an external system has signed in, and when they were last signed out.
func (p *People) met(ctx context.Context, who notifier.ProxiedUser, how string) (u notifier.User, since int64, err error) {
	u, since, created, changed, err := p.Store.Proxied(ctx, who)
	bad := (*notifier.InvalidError)(nil)
	switch {
	case errors.As(err, &bad): // only for a new user, whose name could be mistaken for another's
		err = fmt.Errorf("%w: %w", notifier.ErrBadIdentity, err)
	case err != nil:
	case created:
		p.record(ctx, notifier.Actor{Ref: notifier.UserRef(u)}, "user.add", notifier.UserRef(u), how)
	case changed:
		p.Sessions.Publish(ctx, u.Seq)
	}
	return u, since, err
}

// Bring adds the users that do not exist yet, for an app that sends to them; see store.Bring for the errors.
func (p *People) Bring(ctx context.Context, by notifier.Actor, app int64, names []string) error {
	n, err := p.Store.Bring(ctx, app, names)
	if err == nil && n > 0 {
		p.record(ctx, by, "user.bring", notifier.Ref{}, fmt.Sprintf("%d users", n))
	}
	return err
}

// SignOut ends all sessions of a user with their streams, and refuses the tokens issued until now. It
// returns notifier.ErrNotFound.
func (p *People) SignOut(ctx context.Context, by notifier.Actor, name string) error {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	if _, err := p.Sessions.Expel(ctx, u.Seq); err != nil {
		return err
	}
	p.record(ctx, by, "user.sign_out", notifier.UserRef(u), "")
	return nil
}

// difference lists the fields of a user that differ, each with its new value.
func (p *People) difference(had, has notifier.User) string {
	var all []string
	if had.Audience != has.Audience {
		name := p.Audiences[has.Audience]
		if name == "" {
			name = strconv.Itoa(int(has.Audience))
		}
		all = append(all, "audience "+name)
	}
	if had.Locale != has.Locale {
		all = append(all, "locale "+strconv.Quote(has.Locale))
	}
	if !slices.Equal(had.Roles, has.Roles) {
		all = append(all, "roles "+strings.Join(has.Roles, ","))
	}
	return strings.Join(all, "; ")
}

// SetPassword sets the hash of a user's password, and ends all their sessions with their streams.
func (p *People) SetPassword(ctx context.Context, by notifier.Actor, name, hash string) error {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return err
	}
	ended, err := p.Store.SetPassword(ctx, name, hash)
	if err != nil {
		return err
	}
	p.Sessions.PublishEnded(ctx, ended)
	p.Sessions.Publish(ctx, u.Seq)
	p.record(ctx, by, "user.passwd", notifier.UserRef(u), "")
	return nil
}

// Ack records that a browser has shown these toasts, so that no other browser does. It returns notifier.ErrNotFound
// if none of them is waiting for the user; the connections of this instance drop them even then.
func (p *People) Ack(ctx context.Context, seq int64, ids []string) error {
	err := p.Toasts.Ack(ctx, seq, ids)
	if p.Hub != nil && (err == nil || errors.Is(err, notifier.ErrNotFound)) {
		p.Hub.Acked(seq, ids)
	}
	return err
}

// Active signals to all instances whether a page is visible in the browser of a session: toasts go there, and pushes
// wait.
func (p *People) Active(ctx context.Context, seq int64, session string, visible bool) error {
	if p.Looking != nil {
		p.Looking.Set(seq, visible)
	}
	return p.Toasts.Signal(ctx, seq, notifier.Signal{
		Kind: notifier.SignalSeen, Browser: notifier.Browser(session), On: visible, At: time.Now().UnixMilli(),
	})
}

// Export writes all stored data of a user to w, as JSON. The inbox is the one in SQL, which a running server updates
// about a second after each change. Toasts that wait to be shown are only in Redis: while it is unavailable, the
// export omits them, and a warning is logged.
func (p *People) Export(ctx context.Context, by notifier.Actor, name string, w io.Writer) error {
	all, err := p.Store.ExportUser(ctx, name)
	if err != nil {
		return err
	}
	if all.Toasts, err = p.exportToasts(ctx, all.User.Seq); err != nil {
		p.Log.WarnContext(ctx, "the export lacks undelivered toasts, which are only in redis", "err", err)
	}
	if err := all.Encode(w); err != nil {
		return err
	}
	p.record(ctx, by, "user.export", notifier.UserRef(all.User), "")
	return nil
}

// exportToasts returns the toasts that wait for a user. Without an error the result is never nil.
func (p *People) exportToasts(ctx context.Context, seq int64) ([]notifier.ExportedToast, error) {
	waiting, err := p.Toasts.List(ctx, seq)
	if err != nil {
		return nil, err
	}
	all := make([]notifier.ExportedToast, 0, len(waiting))
	for _, w := range waiting {
		var says notifier.Content
		if json.Unmarshal(w.Content, &says) == nil { // a toast that cannot be decoded is left out
			all = append(all, notifier.ExportedToast{NoticeID: w.NoticeID, RaisedAt: w.RaisedAt, Title: says.Title, Body: says.Body, Link: says.Link})
		}
	}
	return all, nil
}
