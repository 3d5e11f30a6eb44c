package main

import (
	"context"
	"fmt"
	"net/http"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// applications joins the API to what is behind it.
func (i *instance) applications() (http.Handler, error) {
	c := api.Config{
		Keys: i.db, Sender: i.pipe, Inbox: i.inbox, Board: i.board, Topics: i.topics,
		Directory: applicationUsers{i.db, eraser{i.db, i.sessions, i.board, i.inbox}},
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
	gone eraser
}

// PutUser makes or changes a user.
func (a applicationUsers) PutUser(ctx context.Context, p api.PutUser) (notifier.User, bool, error) {
	return a.Store.PutUser(ctx, store.PutUser(p))
}

// DeleteUser deletes a user everywhere, and writes down that an application did.
func (a applicationUsers) DeleteUser(ctx context.Context, name string) error {
	user, err := a.UserByName(ctx, name)
	if err != nil {
		return err
	}
	if _, err = a.gone.erase(ctx, user); err != nil {
		return fmt.Errorf("delete user %d, who may be half deleted: %w", user.Seq, err)
	}
	return a.Audit(ctx, notifier.AuditEntry{Actor: "api", Action: "user.delete", Object: fmt.Sprintf("user %d", user.Seq)})
}
