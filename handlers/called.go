package handlers

import (
	"context"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// called maps user names (the host application's ids) to display names.
type called map[string]string

// user returns a user as staff see them: the name, followed by the display name if there is one.
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

// calledIn returns the display names of the senders and the shown recipients of notices.
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
