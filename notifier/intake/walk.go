package intake

import (
	"context"
	"fmt"
	"slices"
	"strconv"
)

const (
	listed = 1000 // entries of the stream looked through in one call
	lastID = "18446744073709551615-18446744073709551615"
)

// Missing returns those of the notices that no entry of the stream is about. An entry that
// is done may count until the stream is trimmed.
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

// Resending says whether an entry of the stream is to be done Again. One that is done may
// count until the stream is trimmed.
func (q *Intake) Resending(ctx context.Context) (found bool, err error) {
	err = q.walk(ctx, func(_ map[int64]bool, again int64) (enough bool) {
		found = again > 0
		return found
	})
	return found, err
}

// walk shows the stream piece by piece, from the oldest entry to the newest: one whose place another
// takes meanwhile is found there. It is told which notices a piece is about, and how
// many of its entries say Again.
func (q *Intake) walk(ctx context.Context, look func(about map[int64]bool, again int64) (enough bool)) error {
	for start := "-"; ; {
		reply, err := listNotices.Run(ctx, q.c.Redis, []string{q.stream}, start, listed).Slice()
		if err != nil {
			return fmt.Errorf("look through the intake: %w", away(err))
		}
		last, again, notices, err := readPiece(reply)
		if err != nil {
			return err
		}
		about := make(map[int64]bool, len(notices))
		for _, notice := range notices {
			text, _ := notice.(string)
			if id, err := strconv.ParseInt(text, 10, 64); err == nil { // else it is about none
				about[id] = true
			}
		}
		if enough := look(about, again); enough || last == "" || last == lastID { // nothing can stand behind that
			return nil
		}
		start = "(" + last
	}
}

func readPiece(reply []any) (last string, again int64, notices []any, err error) {
	if len(reply) != 3 {
		return "", 0, nil, errReply
	}
	last, isID := reply[0].(string)
	again, isCount := reply[1].(int64)
	notices, isList := reply[2].([]any)
	if !isID || !isCount || !isList {
		return "", 0, nil, errReply
	}
	return last, again, notices, nil
}
