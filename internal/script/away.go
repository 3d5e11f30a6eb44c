package script

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/trouble"
	"github.com/carillonhq/carillon/notifier"
)

// Away reports whether err means that Redis cannot be reached or cannot serve now, because of its state or the rights of
// our user. It is false if Redis rejected the command itself, and if the caller gave up.
func Away(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	var answer redis.Error
	if !errors.As(err, &answer) {
		return true
	}
	return trouble.OfRedis(err) != trouble.Trouble{}
}

// MarkAway wraps err in notifier.ErrUnavailable if Away is true for it, and returns any other
// error unchanged.
func MarkAway(err error) error {
	if Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
