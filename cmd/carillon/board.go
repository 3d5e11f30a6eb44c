package main

import (
	"context"
	"errors"
	"net/url"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/store"
)

type boardCmd struct {
	List   boardListCmd   `cmd:"" help:"List the roles whose board has a link, and since when."`
	Link   boardLinkCmd   `cmd:"" help:"Print a new link to the board of a role, once; it replaces the one before."`
	Revoke boardRevokeCmd `cmd:"" help:"Revoke the link to the board of a role; screens that show it stop within seconds."`
}

type boardOf struct {
	Role string `arg:"" help:"The role whose tasks the board shows."`
}

// boardLine is the board of a role as commands print it.
type boardLine struct {
	Role     string `json:"role"`
	URL      string `json:"url,omitempty"`      // only when it is created
	Since    string `json:"since,omitempty"`    // in a list: when the link was created
	Replaced bool   `json:"replaced,omitempty"` // there was a link before
}

var errNoServer = errors.New("--public-url is not set, and no server answers at --addr, so the address of the link is unknown")

type boardListCmd struct{}

// Run prints the roles whose board has a link. The links are not stored.
func (boardListCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		all, err := db.Boards(ctx)
		if err != nil {
			return err
		}
		for _, b := range all {
			since := b.LinkedAt.UTC().Format(time.RFC3339)
			if err := c.result(boardLine{Role: b.Role, Since: since}, "%s\t%s", b.Role, since); err != nil {
				return err
			}
		}
		return nil
	})
}

type boardLinkCmd struct{ boardOf }

// Run gives the board of a role a new link. The link is printed, and only its hash is stored.
func (b boardLinkCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	where := serverOf(ctx, cfg)
	if where == unknownServer {
		return usageError{errNoServer}
	}
	return withStore(ctx, cfg, func(db *store.Store) error {
		token, replaced, err := db.LinkBoard(ctx, commandLine(), b.Role)
		if err != nil {
			return missed(err, "role %s", b.Role)
		}
		link := where + "/board/" + url.PathEscape(b.Role) + "/" + token
		err = c.result(boardLine{Role: b.Role, URL: link, Replaced: replaced}, "%s", link)
		if err == nil && !c.json {
			c.note("whoever has this link sees the tasks of %s; it is not shown again", b.Role)
			if replaced {
				c.note("the link before is not valid any more")
			}
		}
		return err
	})
}

type boardRevokeCmd struct{ boardOf }

// Run revokes the link to the board of a role.
func (b boardRevokeCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	return withStore(ctx, cfg, func(db *store.Store) error {
		if err := db.RevokeBoard(ctx, commandLine(), b.Role); err != nil {
			return missed(err, "link to a board of role %s", b.Role)
		}
		return c.result(boardLine{Role: b.Role}, "the link to the board of %s is revoked", b.Role)
	})
}
