package delivery

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/carillonhq/carillon/internal/script"
)

const (
	listed = 1000 // entries read from the stream in one call
	lastID = "18446744073709551615-18446744073709551615"
)

// Missing returns the notices that no entry of the stream is about. A finished entry may still
// count until the stream is trimmed.
func (q *Intake) Missing(ctx context.Context, notices []int64) ([]int64, error) {
	missing := slices.Clone(notices)
	if len(missing) == 0 {
		return missing, nil
	}
	err := q.walk(ctx, func(about map[int64]bool, _ int64) (enough bool) {
		missing = slices.DeleteFunc(missing, func(id int64) bool { return about[id] })
		return len(missing) == 0
	})
	return missing, err
}

// Resending reports whether any entry of the stream has Again set. A finished entry may still count
// until the stream is trimmed.
func (q *Intake) Resending(ctx context.Context) (found bool, err error) {
	err = q.walk(ctx, func(_ map[int64]bool, again int64) (enough bool) {
		found = again > 0
		return found
	})
	return found, err
}

// walk passes the stream to look in pieces, from the oldest entry to the newest, so an entry that
// is replaced meanwhile is found at its new place. look gets the ids of the notices in a piece and
// the number of its entries that have Again set.
func (q *Intake) walk(ctx context.Context, look func(about map[int64]bool, again int64) (enough bool)) error {
	for start := "-"; ; {
		reply, err := listNotices.Run(ctx, q.c.Redis, []string{q.stream}, start, listed).Slice()
		if err != nil {
			return fmt.Errorf("look through the intake: %w", script.MarkAway(err))
		}
		last, again, notices, err := readPiece(reply)
		if err != nil {
			return err
		}
		about := make(map[int64]bool, len(notices))
		for _, notice := range notices {
			text, _ := notice.(string)
			if id, err := strconv.ParseInt(text, 10, 64); err == nil { // otherwise it is not about a single notice
				about[id] = true
			}
		}
		if enough := look(about, again); enough || last == "" || last == lastID { // no entry can follow the highest id
			return nil
		}
		start = "(" + last
	}
}

func readPiece(reply []any) (last string, again int64, notices []any, err error) {
	if len(reply) != 3 {
		return "", 0, nil, script.ErrReply
	}
	last, isID := reply[0].(string)
	again, isCount := reply[1].(int64)
	notices, isList := reply[2].([]any)
	if !isID || !isCount || !isList {
		return "", 0, nil, script.ErrReply
	}
	return last, again, notices, nil
}
