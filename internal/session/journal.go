package session

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// journalRate is the maximum number of rejections logged per second. Further ones are only counted, so that an attack
// from many addresses cannot fill a disk.
const journalRate = 20

// SignInStats counts the sign-in attempts by result.
type SignInStats struct {
	Right   int64 // signed in
	Wrong   int64 // wrong name or password
	Limited int64 // rejected after too many failures
}

// journal logs rejected sign-ins, so that operators notice an attack and can block its addresses. It never logs the
// typed name: users sometimes type a password into that field.
type journal struct {
	now func() time.Time
	log *slog.Logger

	entered, failed, refused atomic.Int64

	mu      sync.Mutex
	second  int64 // since 1970
	lines   int   // in this second
	skipped int64 // since the last line
}

func (j *journal) right() { j.entered.Add(1) }

func (j *journal) wrong(ctx context.Context, address string, seq int64) {
	j.failed.Add(1)
	j.write(ctx, "password", address, slog.Int64("user_id", seq))
}

func (j *journal) limited(ctx context.Context, address string) {
	j.refused.Add(1)
	j.write(ctx, "limit", address)
}

func (j *journal) stats() SignInStats {
	return SignInStats{Right: j.entered.Load(), Wrong: j.failed.Load(), Limited: j.refused.Load()}
}

func (j *journal) write(ctx context.Context, reason, address string, more ...slog.Attr) {
	skipped, ok := j.line()
	if !ok {
		return
	}
	attrs := append([]slog.Attr{slog.String("reason", reason), slog.String("address", address)}, more...)
	if skipped > 0 {
		attrs = append(attrs, slog.Int64("skipped", skipped))
	}
	j.log.LogAttrs(ctx, slog.LevelWarn, "sign-in refused", attrs...)
}

// line reports whether another line may be written, and how many were skipped since the last one.
func (j *journal) line() (skipped int64, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if now := j.now().Unix(); now != j.second {
		j.second, j.lines = now, 0
	}
	if j.lines == journalRate {
		j.skipped++
		return 0, false
	}
	j.lines++
	skipped, j.skipped = j.skipped, 0
	return skipped, true
}
