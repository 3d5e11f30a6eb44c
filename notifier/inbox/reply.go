package inbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// hopeless returns err if later jobs would also fail with it, and nil if it concerns one inbox.
func hopeless(ctx context.Context, err error) error {
	if script.Away(err) || errors.Is(err, notifier.ErrUnavailable) || ctx.Err() != nil {
		return err
	}
	return nil
}

// results collects the results of the jobs of a task.
type results struct {
	mu     sync.Mutex
	sum    int
	errs   []error
	groups []job // whose row has a group to rebuild
}

func (r *results) add(n int, groups ...job) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sum += n
	r.groups = append(r.groups, groups...)
}

// fail records that these jobs are not done. An outage of Redis takes precedence over a failed
// inbox, because it does not count as an attempt for the caller.
func (r *results) fail(jobs []job, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range jobs {
		if was := r.errs[j.of]; was == nil || errors.Is(err, notifier.ErrUnavailable) && !errors.Is(was, notifier.ErrUnavailable) {
			r.errs[j.of] = err
		}
	}
}

// The negative replies of the scripts, which mean that nothing was done.
const (
	codeCold     = -1 // the inbox is not in Redis: restore it and retry
	codeNotHere  = -2 // notifier.ErrNotFound
	codeConflict = -3 // notifier.ErrConflict
	codeDue      = -4 // there may be expired rows: remove them and retry
	codeStale    = -5 // the snapshot may be older than the one in SQL: read it again
	codeGroup    = -6 // the row stands for other notices, too: rebuild its group
	codeSnoozed  = -7 // too many entries would be snoozed
	codeFailed   = -9 // an error, in a call for several users
)

// outcome converts a negative reply to its error.
func outcome(r script.Reply) error {
	switch {
	case r.Code >= 0:
		return nil
	case r.Code == codeNotHere:
		return notifier.ErrNotFound
	case r.Code == codeConflict:
		return notifier.ErrConflict
	case r.Code == codeSnoozed:
		return notifier.TooManySnoozed()
	default:
		return fmt.Errorf("%w: %d", script.ErrReply, r.Code)
	}
}

// badgeOf parses {…, unread, ver}. The inbox does not count announcements.
func badgeOf(r script.Reply) notifier.Badge { return newBadge(r.Number(0), r.Number(1)) }

func newBadge(unread, ver int64) notifier.Badge {
	return notifier.Badge{Unread: unread, Inbox: unread, Ver: ver}
}

var errRow = errors.New("malformed row")

// parseRow parses a stored row: the field KEY:has_read:0|1 and the value ID AT EXPIRY JSON, which the lines of a group may
// follow.
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
			return e, fmt.Errorf("%w: not a number", errRow)
		}
	}
	if expiry > 0 {
		e.ExpiresAt = time.UnixMilli(expiry).UTC()
	}
	rest, lines, grouped := strings.Cut(rest, "\n")
	var err error
	if e.Content, err = decodeContent(rest); err != nil {
		return e, fmt.Errorf("%w: %w", errRow, err)
	}
	if grouped {
		if e.Group, err = notifier.ParseGroup(lines); err != nil {
			return e, fmt.Errorf("%w: %w", errRow, err)
		}
	}
	return e, nil
}
