package script

import (
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// ErrReply means that a script replied in a form or with a number that its caller does not expect.
var ErrReply = errors.New("unexpected reply of a script")

// Reply is the reply of a script: a number, or a list that starts with one. A negative number is an
// outcome documented in the header of the script.
type Reply struct {
	Code int64
	Rest []any // the elements after the number
}

// ParseReply parses the reply of a run. Its error is ErrUnavailable if Redis cannot be reached, and
// ErrReply if the reply has another form.
func ParseReply(cmd *redis.Cmd) (Reply, error) {
	v, err := cmd.Result()
	if err != nil {
		return Reply{}, MarkAway(err)
	}
	switch v := v.(type) {
	case int64:
		return Reply{Code: v}, nil
	case []any:
		if len(v) > 0 {
			if code, ok := v[0].(int64); ok {
				return Reply{Code: code, Rest: v[1:]}, nil
			}
		}
	}
	return Reply{}, fmt.Errorf("%w: %T", ErrReply, v)
}

// Number returns element i after the first, or 0 if it is not a number.
func (r Reply) Number(i int) int64 { return element[int64](r, i) }

// Text returns element i after the first, or "" if it is not a text.
func (r Reply) Text(i int) string { return element[string](r, i) }

// List returns element i after the first, or nil if it is not a list.
func (r Reply) List(i int) []any { return element[[]any](r, i) }

func element[T any](r Reply, i int) (v T) {
	if i < len(r.Rest) {
		v, _ = r.Rest[i].(T)
	}
	return v
}
