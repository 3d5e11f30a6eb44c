package load

import "time"

// Each power of two is divided into halfSteps buckets, so the error of a quantile is at most
// 0.8 %.
const (
	stepBits  = 7
	halfSteps = 1 << (stepBits - 1)
	buckets   = (64 - stepBits + 1) << stepBits
)

// Histogram counts durations. The zero value is empty and ready; it is not
// safe for concurrent use.
type Histogram struct {
	total   int64
	longest time.Duration
	count   [buckets]int64
}

// Add counts one duration. A negative one, from two clocks that differ, counts as zero.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.total++
	h.longest = max(h.longest, d)
	h.count[bucketOf(d)]++
}

// Merge adds all durations of o.
func (h *Histogram) Merge(o *Histogram) {
	h.total += o.total
	h.longest = max(h.longest, o.longest)
	for i, n := range o.count {
		h.count[i] += n
	}
}

// Total returns the number of durations.
func (h *Histogram) Total() int64 { return h.total }

// Max returns the longest duration.
func (h *Histogram) Max() time.Duration { return h.longest }

// Quantile returns the duration that a share q of all durations does not exceed, or 0 if there
// are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank := max(int64(q*float64(h.total)+0.5), 1)
	var seen int64
	for i, n := range h.count {
		if seen += n; seen >= rank {
			return min(middleOf(i), h.longest)
		}
	}
	return h.longest
}

// Milliseconds returns Quantile in milliseconds.
func (h *Histogram) Milliseconds(q float64) float64 {
	return float64(h.Quantile(q)) / float64(time.Millisecond)
}

// bucketOf returns the bucket of d, which consists of the stepBits leading bits and their shift.
// Buckets whose leading bit is clear stay empty for shifts above zero.
func bucketOf(d time.Duration) int {
	shift := 0
	for d>>shift >= 1<<stepBits {
		shift++
	}
	return shift<<stepBits + int(d>>shift)
}

func middleOf(i int) time.Duration {
	shift := i >> stepBits
	low := time.Duration(i&(1<<stepBits-1)) << shift
	return low + time.Duration(1)<<shift/2
}
