package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// Away reports whether err means that Redis cannot be reached or cannot serve now. It is false when
// Redis refused the command, and when the caller gave up.
func Away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var answer redis.Error
	if !errors.As(err, &answer) {
		return true
	}
	for _, prefix := range []string{"LOADING", "CLUSTERDOWN", "MASTERDOWN", "READONLY", "TRYAGAIN", "MISCONF", "OOM", "BUSY "} {
		if redis.HasErrorPrefix(err, prefix) {
			return true
		}
	}
	return false
}

// MarkAway wraps err in notifier.ErrUnavailable if Away is true for it, and returns any other
// error as it is.
func MarkAway(err error) error {
	if Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
