package inbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
)

// What the scripts answer when they did not do it.
const (
	codeCold     = -1 // the inbox is not in Redis: restore it and try again
	codeNotHere  = -2 // notifier.ErrNotFound
	codeConflict = -3 // notifier.ErrConflict
	codeDue      = -4 // expired rows may be in the way: expire them and try again
	codeStale    = -5 // what is to be restored may be older than what SQL has by now: read it again
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

// outcome turns a negative number into its error.
func (r reply) outcome() error {
	switch {
	case r.code >= 0:
		return nil
	case r.code == codeNotHere:
		return notifier.ErrNotFound
	case r.code == codeConflict:
		return notifier.ErrConflict
	default:
		return fmt.Errorf("%w: %d", errReply, r.code)
	}
}

// number is the i-th element after the first; 0 when there is none.
func (r reply) number(i int) int64 {
	if i >= len(r.rest) {
		return 0
	}
	n, _ := r.rest[i].(int64)
	return n
}

func (r reply) text(i int) string {
	if i >= len(r.rest) {
		return ""
	}
	s, _ := r.rest[i].(string)
	return s
}

func (r reply) list(i int) []any {
	if i >= len(r.rest) {
		return nil
	}
	l, _ := r.rest[i].([]any)
	return l
}

// badge reads {…, unread, ver}. Announcements are not the inbox's to count.
func (r reply) badge() notifier.Badge { return newBadge(r.number(0), r.number(1)) }

func newBadge(unread, ver int64) notifier.Badge {
	return notifier.Badge{Unread: unread, Inbox: unread, Ver: ver}
}

var errRow = errors.New("malformed row")

// parseRow reads a stored row: KEY:has_read:0|1 and ID AT EXPIRY JSON.
func parseRow(field, value string) (notifier.Entry, error) {
	var e notifier.Entry
	var ok bool
	if e.Key, e.Read, ok = notifier.SplitField(field); !ok {
		return e, fmt.Errorf("%w: no state in its field", errRow)
	}
	var expiry int64
	rest := value
	for _, n := range []*int64{&e.NoticeID, &e.At, &expiry} {
		var word string
		var err error
		if word, rest, ok = strings.Cut(rest, " "); !ok {
			return e, fmt.Errorf("%w: fewer than three numbers", errRow)
		}
		if *n, err = strconv.ParseInt(word, 10, 64); err != nil {
			return e, fmt.Errorf("%w: a number that is none", errRow)
		}
	}
	if expiry > 0 {
		e.ExpiresAt = time.UnixMilli(expiry).UTC()
	}
	var err error
	if e.Content, err = decodeContent(rest); err != nil {
		return e, fmt.Errorf("%w: %w", errRow, err)
	}
	return e, nil
}
