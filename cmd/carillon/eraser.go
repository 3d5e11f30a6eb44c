package main

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/announcement"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/toast"
	"github.com/carillonhq/carillon/store"
)

// eraser deletes users, in SQL and in Redis.
type eraser struct {
	db       *store.Store
	sessions *session.Store
	board    *announcement.Board
	inbox    *inbox.Inbox
	toasts   *toast.Toasts
}

// deleted is a user who is no more, as `user delete` prints him.
type deleted struct {
	Name     string `json:"name"`
	Seq      int64  `json:"seq"`
	Sessions int    `json:"sessions"`
}

// erase deletes a user step by step, so that nothing of him is written anew behind
// what is deleted already. After a failure it may be called again as long as SQL knows
// the name.
func (e eraser) erase(ctx context.Context, user notifier.User) (deleted, error) {
	line := deleted{Name: user.Name, Seq: user.Seq}
	var err error
	if line.Sessions, err = e.sessions.Expel(ctx, user.Seq); err != nil {
		return line, err
	}
	// What he has read is a bit in Redis, which SQL is given again and again.
	reader := notifier.Reader{Seq: user.Seq, Audience: user.Audience}
	posts, err := e.board.List(ctx, reader)
	if err != nil {
		return line, err
	}
	for _, post := range posts.Items {
		if _, err = e.board.MarkUnread(ctx, reader, post.ID); err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return line, err
		}
	}
	// Once before, as SQL knows the name only until then; and once after, for what came
	// in between.
	if err = e.empty(ctx, user.Seq); err != nil {
		return line, err
	}
	if _, err = e.db.DeleteUser(ctx, user.Name); err != nil {
		return line, err
	}
	return line, e.empty(ctx, user.Seq)
}

// empty takes away what has come for a user.
func (e eraser) empty(ctx context.Context, seq int64) error {
	if err := e.inbox.Erase(ctx, seq); err != nil {
		return err
	}
	return e.toasts.Forget(ctx, seq)
}
