package handlers

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// called holds the names for people of users, by the id that their app gave them.
type called map[string]string

// user is a user as staff see them: their id, and what they are called.
func (c called) user(name string) string {
	if display := c[name]; display != "" {
		return name + " · " + display
	}
	return name
}

func (c called) users(names []string) []string {
	shown := make([]string, len(names))
	for i, name := range names {
		shown[i] = c.user(name)
	}
	return shown
}

// calledIn returns what the users are called whom the texts about these notices name: their senders
// and recipients.
func (h *Handlers) calledIn(ctx context.Context, notices ...*notifier.Notice) (called, error) {
	var names []string
	for _, n := range notices {
		names = append(names, n.Target.Users[:min(len(n.Target.Users), shownNames)]...)
		if n.Sender.Kind == notifier.KindUser && n.Sender.Name != "" {
			names = append(names, n.Sender.Name)
		}
	}
	return h.calledOf(ctx, names)
}

func (h *Handlers) calledOf(ctx context.Context, names []string) (called, error) {
	if len(names) == 0 {
		return nil, nil
	}
	found, err := h.Store.Displays(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("read the names for people of %d users: %w", len(names), err)
	}
	return found, nil
}
