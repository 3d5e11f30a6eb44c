package announcement

import (
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// What the scripts answer when they did not do it.
const (
	codeLost  = -1 // a piece of the index is gone: make it again from SQL
	codeOld   = -2 // the caller's index is old; of drop_bits: not over
	codeLater = -3 // the index is that of a later state of SQL
	codeDirty = -4 // SQL has not seen all of the bitmap
)

var errReply = errors.New("a script answered what it never answers")

// reply is a script's answer: a number, or a list that begins with one.
type reply struct {
	code int64
	rest []any
}

func parseReply(cmd *redis.Cmd) (reply, error) {
	v, err := cmd.Result()
	if err != nil {
		return reply{}, away(err)
	}
	switch v := v.(type) {
	case int64:
		return reply{code: v}, nil
	case []any:
		if len(v) > 0 {
			if code, ok := v[0].(int64); ok {
				return reply{code: code, rest: v[1:]}, nil
			}
		}
	}
	return reply{}, fmt.Errorf("%w: %T", errReply, v)
}

// number is the i-th element after the first; 0 when there is none.
func (r reply) number(i int) int64 {
	if i >= len(r.rest) {
		return 0
	}
	n, _ := r.rest[i].(int64)
	return n
}

// badge is the half of the badge that stands in the answer from its i-th element
// after the first: unread, read, version.
func (r reply) badge(i int) notifier.Badge { return newBadge(r.number(i), r.number(i+2)) }

func newBadge(unread, aver int64) notifier.Badge {
	return notifier.Badge{Unread: unread, Announcements: unread, AVer: aver}
}

// away marks an error that means that Redis cannot be reached.
func away(err error) error {
	if script.Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
