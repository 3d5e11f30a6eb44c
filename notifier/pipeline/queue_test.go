package pipeline

import (
	"errors"
	"slices"
	"testing"
	"time"
)

var noon = time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)

// sized fills a queue with notices of these sizes, by id.
func sized(t *testing.T, q *queue, sizes map[int64]int64) {
	t.Helper()
	var ids []int64
	for id := range sizes {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if err := q.fill(ids, func(id int64) (int64, error) { return sizes[id], nil }); err != nil {
		t.Fatal(err)
	}
}

// takeAll takes as many as there are places for.
func takeAll(q *queue, now time.Time) (ids []int64) {
	for {
		id, ok := q.take(now)
		if !ok {
			return ids
		}
		ids = append(ids, id)
	}
}

func TestSmallNoticesComeFirstAndThenOlderOnes(t *testing.T) {
	t.Parallel()
	q := newQueue(5, 1000)
	sized(t, &q, map[int64]int64{1: 1000, 2: 5, 3: 1, 4: 5})
	if got := takeAll(&q, noon); !slices.Equal(got, []int64{3, 2, 4, 1}) {
		t.Errorf("order %v", got)
	}
}

func TestLargeNoticesLeaveAPlaceForSmallOnes(t *testing.T) {
	t.Parallel()
	q := newQueue(3, 1000)
	sized(t, &q, map[int64]int64{1: 100_000, 2: 100_000, 3: 100_000})
	if got := takeAll(&q, noon); !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("at work are %v", got)
	}
	sized(t, &q, map[int64]int64{1: 100_000, 2: 100_000, 3: 100_000, 4: 1})
	if got := takeAll(&q, noon); !slices.Equal(got, []int64{4}) {
		t.Errorf("the small one: %v", got)
	}
	q.done(4, false, noon)
	q.done(1, false, noon)
	if got := takeAll(&q, noon); !slices.Equal(got, []int64{3}) {
		t.Errorf("after a large one ended: %v", got)
	}
}

func TestAQueueWithOnePlaceWorksOnLargeNoticesToo(t *testing.T) {
	t.Parallel()
	q := newQueue(1, 1000)
	sized(t, &q, map[int64]int64{1: 100_000})
	if got := takeAll(&q, noon); !slices.Equal(got, []int64{1}) {
		t.Errorf("at work are %v", got)
	}
}

func TestANoticeThatFailedIsHeldBackLongerEachTime(t *testing.T) {
	t.Parallel()
	q := newQueue(4, 1000)
	now := noon
	var last time.Duration
	for round := range 20 {
		sized(t, &q, map[int64]int64{1: 1, 2: 1})
		if got := takeAll(&q, now); !slices.Equal(got, []int64{1, 2}) {
			t.Fatalf("round %d: %v", round, got)
		}
		if first := q.done(1, true, now); first != (round == 0) {
			t.Errorf("round %d: first is %v", round, first)
		}
		q.done(2, false, now)
		sized(t, &q, map[int64]int64{1: 1})
		if got := takeAll(&q, now); got != nil {
			t.Fatalf("round %d: not held back", round)
		}
		wait := q.failed[1].until.Sub(now)
		if wait < last/2 || wait > 2*maxBackoff {
			t.Errorf("round %d: held back for %v after %v", round, wait, last)
		}
		last, now = wait, now.Add(wait)
	}
	sized(t, &q, nil)
	if len(q.failed) != 0 {
		t.Error("a finished notice is remembered")
	}
}

func TestSizesAreAskedOnceAndWhatIsAtWorkIsNotAsked(t *testing.T) {
	t.Parallel()
	q := newQueue(1, 1000)
	asked := 0
	size := func(int64) (int64, error) { asked++; return 1, nil }
	for range 3 {
		if err := q.fill([]int64{1, 2, 3}, size); err != nil {
			t.Fatal(err)
		}
		q.take(noon)
	}
	if asked != 3 {
		t.Errorf("asked %d times", asked)
	}
	broken := errors.New("away")
	if err := q.fill([]int64{4}, func(int64) (int64, error) { return 0, broken }); !errors.Is(err, broken) {
		t.Errorf("fill: %v", err)
	}
}
