package session

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// typedUsers finds users by their names as people type them: what stands around a name and cannot be seen is left
// out, unless it belongs to the name of somebody.
type typedUsers struct{ Users }

// Credentials are documented at Users.
func (t typedUsers) Credentials(ctx context.Context, typed string) (u notifier.User, hash string, err error) {
	u, hash, err = t.Users.Credentials(ctx, typed)
	if name := notifier.TrimName(typed); errors.Is(err, notifier.ErrNotFound) && name != typed {
		return t.Users.Credentials(ctx, name)
	}
	return u, hash, err
}
