package instance

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// applications makes the handler of the API.
func (i *instance) applications() (http.Handler, error) {
	c := api.Config{
		Keys: i.db, Sender: i.pipe, Inbox: i.inbox, Board: i.board, Topics: i.topics, Toasts: i.pipe,
		Directory: i.directory(),
		Audit:     i.db, Address: func(r *http.Request) string { return handlers.Address(r, i.cfg.TrustedProxies) },
		Audiences: i.cfg.Audiences, Rate: i.cfg.APIRate, Log: i.log,
	}
	if i.cfg.PublicURL != nil {
		c.PublicURL = i.cfg.PublicURL.String()
	}
	h, err := api.New(c)
	if err != nil {
		return nil, fmt.Errorf("prepare the api: %w", err)
	}
	return h, nil
}

// directory changes users for pages and for applications. The store records each change in SQL, and a
// server tells all instances about it; commands need no more. Here all instances are told before
// the caller gets its answer.
type directory struct {
	*store.Store
	sessions *session.Store
	topics   *topic.Topics

	deletions *deletions
}

func (i *instance) directory() directory {
	return directory{i.db, i.sessions, i.topics, i.deletions}
}

// PutUser adds a user or changes one.
func (d directory) PutUser(ctx context.Context, u notifier.PutUser) (notifier.User, bool, error) {
	user, created, err := d.Store.PutUser(ctx, u)
	if err == nil && !created {
		d.sessions.Tell(ctx, user.Seq)
	}
	return user, created, err
}

// AddRole adds a user to a role.
func (d directory) AddRole(ctx context.Context, name, role string) error {
	return d.told(ctx, name, d.Store.AddRole(ctx, name, role))
}

// RemoveRole removes a user from a role.
func (d directory) RemoveRole(ctx context.Context, name, role string) error {
	return d.told(ctx, name, d.Store.RemoveRole(ctx, name, role))
}

// DeleteRole deletes a role with its subscriptions. It may have many members, so instances learn of
// them within a second or two.
func (d directory) DeleteRole(ctx context.Context, name string) error {
	err := d.Store.DeleteRole(ctx, name)
	if err == nil {
		d.topics.Changed(ctx)
	}
	return err
}

// deletionWait is how long a call waits for a deletion before it continues in the background.
const deletionWait = 2 * time.Second

// DeleteUser deletes a user everywhere. If that takes long, the rest is done in the background.
func (d directory) DeleteUser(ctx context.Context, name string) (api.Deleted, error) {
	gone := d.deletions.gone
	leaver, _, begun, err := gone.Begin(ctx, name)
	if err != nil {
		return api.Deleted{}, fmt.Errorf("delete a user: %w", err)
	}
	d.topics.Changed(ctx)
	ctx, cancel := context.WithTimeout(ctx, deletionWait)
	defer cancel()
	err = gone.Finish(ctx, leaver, nil)
	if err != nil {
		gone.log.InfoContext(ctx, "a deletion goes on in the background", "user_id", leaver.Seq, "err", err)
		d.deletions.wake()
	}
	return api.Deleted{Seq: leaver.Seq, Begun: begun, Done: err == nil}, nil
}

// told tells all instances about a changed user, unless the change failed.
func (d directory) told(ctx context.Context, name string, changed error) error {
	if changed != nil {
		return changed
	}
	if u, err := d.UserByName(ctx, name); err == nil {
		d.sessions.Tell(ctx, u.Seq)
	}
	return nil
}
