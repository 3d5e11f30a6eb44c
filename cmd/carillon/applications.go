package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/topic"
	"github.com/carillonhq/carillon/store"
)

// applications joins the API to what is behind it.
func (i *instance) applications() (http.Handler, error) {
	c := api.Config{
		Keys: i.db, Sender: i.pipe, Inbox: i.inbox, Board: i.board, Topics: i.topics, Toasts: i.pipe,
		Directory: applicationUsers{i.db, eraser{i.db, i.sessions, i.board, i.inbox, i.toasts}, i.topics},
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

// applicationUsers are in SQL; who is deleted leaves Redis too.
type applicationUsers struct {
	*store.Store
	gone   eraser
	topics *topic.Topics
}

// PutUser makes or changes a user, and has the copies of his sessions read again. When
// nobody can be told, they live for their minute.
func (a applicationUsers) PutUser(ctx context.Context, p api.PutUser) (notifier.User, bool, error) {
	user, created, err := a.Store.PutUser(ctx, store.PutUser(p))
	if err == nil && !created {
		_ = a.gone.sessions.Refresh(ctx, user.Seq)
	}
	return user, created, err
}

// DeleteUser deletes a user everywhere.
func (a applicationUsers) DeleteUser(ctx context.Context, name string) error {
	user, err := a.UserByName(ctx, name)
	if err != nil {
		return err
	}
	_, err = a.gone.erase(ctx, user)
	a.topics.Changed(ctx)
	if err != nil {
		return fmt.Errorf("delete user %d, who may be half deleted: %w", user.Seq, err)
	}
	return nil
}
