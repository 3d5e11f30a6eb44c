package hook

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"
)

const (
	offAfter = 5 * 24 * time.Hour // failing without a success; then a hook is switched off
	maxAfter = 24 * time.Hour     // the longest Retry-After that is respected
)

// waits returns the delays before the second and the following tries of an event, each ±20 %.
func waits() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// next returns the delay before the next try after this many; ok is false if there is none.
func next(tries int) (delay time.Duration, ok bool) {
	all := waits()
	if tries > len(all) {
		return 0, false
	}
	wait := all[max(tries, 1)-1]
	return time.Duration(float64(wait) * (0.8 + 0.4*rand.Float64())), true //nolint:gosec // spreads retries; predicting it has no benefit
}

// retryAfter returns how long a receiver that is overloaded asks senders to wait; 0: it does not.
func retryAfter(status int, h http.Header, now time.Time) time.Duration {
	if status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
		return 0
	}
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		return time.Duration(min(max(seconds, 0), int64(maxAfter/time.Second))) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(at.Sub(now), 0), maxAfter)
}
