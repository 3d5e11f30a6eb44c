package delivery_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

func TestSmallNoticesAreDeliveredInOrderThenConfirmedThenRemoved(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var delivered, confirmed log
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				delivered.add(entries...)
				return nil
			},
			confirm: func(_ context.Context, entries []delivery.Entry) error {
				confirmed.add(entries...)
				return nil
			},
		})
		start(t, q)
		const n = 1000
		var want []delivery.Entry
		for id := int64(1); id <= n; id++ {
			want = append(want, small(id))
		}
		if err := q.Put(t.Context(), want[:n/2]...); err != nil {
			t.Fatal(err)
		}
		q.Add(want[n/2:]...)
		testkit.Eventually(t, "all are confirmed, the stream and the backlog are empty", func() bool {
			return confirmed.len() >= n && s.length(t) == 0 && q.Backlog() == 0
		})
		for name, l := range map[string]*log{"delivered": &delivered, "confirmed": &confirmed} {
			got := l.all()
			for i := range got {
				got[i].ID = ""
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", name, d)
			}
		}
		if st := q.Stats(); st.Done != n || st.Failed+st.Reclaimed+st.Buried != 0 {
			t.Errorf("stats: %+v", st)
		}
	})
}

// A confirmation is a transaction of SQL, so entries that come one by one share it.
func TestConfirmationsAreGathered(t *testing.T) {
	s := newSite(t, redistest.Client(t))
	var delivered, confirmed log
	var calls atomic.Int64
	q := s.intake(handler{
		deliver: func(_ context.Context, entries []delivery.Entry) []error {
			delivered.add(entries...)
			return nil
		},
		confirm: func(_ context.Context, entries []delivery.Entry) error {
			confirmed.add(entries...)
			calls.Add(1)
			return nil
		},
	})
	start(t, q)
	began := time.Now()
	const n = 200
	for id := range n {
		s.put(t, small(int64(id+1)))
		testkit.Eventually(t, "it is delivered", func() bool { return delivered.len() == id+1 })
	}
	testkit.Eventually(t, "all are confirmed", func() bool { return confirmed.len() == n })
	if got, most := calls.Load(), int64(time.Since(began)/(50*time.Millisecond))+1; got > most {
		t.Errorf("%d calls of Confirm, want at most %d: one in 50 ms", got, most)
	}
}

func TestRefusedEntryIsRetriedThenBuriedAfterFiveTries(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var tried, buried log
		refuse := errors.New("this inbox is broken")
		var why error
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				errs := make([]error, len(entries))
				for i, e := range entries {
					tried.add(e)
					if e.NoticeID == 2 {
						errs[i] = refuse
					}
				}
				return errs
			},
			bury: func(_ context.Context, e delivery.Entry, raw map[string]any, err error) error {
				if raw != nil {
					t.Errorf("raw is %v for a readable entry", raw)
				}
				why = err
				buried.add(e)
				return nil
			},
		})
		start(t, q)
		s.put(t, small(1), small(2), small(3))
		testkit.Eventually(t, "2 is buried and gone", func() bool { return buried.len() > 0 && s.length(t) == 0 })
		if d := cmp.Diff(map[int64]int{1: 1, 2: 5, 3: 1}, tried.times()); d != "" {
			t.Errorf("tries (-want +got):\n%s", d)
		}
		var tries []int64
		for _, e := range tried.all() {
			if e.NoticeID == 2 {
				tries = append(tries, e.Tries)
			}
		}
		if d := cmp.Diff([]int64{0, 1, 2, 3, 4}, tries); d != "" {
			t.Errorf("Tries (-want +got):\n%s", d)
		}
		got := buried.all()
		if len(got) != 1 || got[0].Delivery == nil || !errors.Is(why, refuse) {
			t.Errorf("buried %v because of %v", got, why)
		}
		if st := q.Stats(); st.Done != 2 || st.Failed != 5 || st.Buried != 1 || st.Reclaimed != 4 {
			t.Errorf("stats: %+v", st)
		}
	})
}

func TestRedisOrSQLBeingUnavailableIsNotATry(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var delivered, confirmed, buried log
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				delivered.add(entries...)
				errs := make([]error, len(entries))
				for i := range entries {
					if delivered.times()[entries[i].NoticeID] <= 6 {
						errs[i] = fmt.Errorf("deliver: %w", notifier.ErrUnavailable)
					}
				}
				return errs
			},
			confirm: func(_ context.Context, entries []delivery.Entry) error {
				confirmed.add(entries...)
				if confirmed.len() <= 6*len(entries) {
					return notifier.ErrUnavailable
				}
				return nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				return nil
			},
		}, func(c *delivery.IntakeConfig) { c.Idle = 20 * time.Millisecond })
		start(t, q)
		s.put(t, small(1))
		testkit.Eventually(t, "the entry is done", func() bool { return q.Stats().Done == 1 })
		if buried.len() > 0 || q.Stats().Failed > 0 {
			t.Errorf("buried %d, stats %+v", buried.len(), q.Stats())
		}
		for _, e := range delivered.all() {
			if e.Tries != 0 {
				t.Errorf("Tries is %d without a try", e.Tries)
			}
		}
	})
}

func TestPanicOrWrongReplyFailsOnlyTheEntryAtFault(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var confirmed, buried log
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				for _, e := range entries {
					switch e.NoticeID {
					case 3:
						panic("cannot handle 3")
					case 5:
						return make([]error, len(entries)+1)
					}
				}
				return nil
			},
			confirm: func(_ context.Context, entries []delivery.Entry) error {
				for _, e := range entries {
					if e.NoticeID == 7 {
						return errors.New("refused")
					}
				}
				confirmed.add(entries...)
				return nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				return nil
			},
		}, func(c *delivery.IntakeConfig) { c.Tries = 2 })
		start(t, q)
		for id := int64(1); id <= 9; id++ {
			s.put(t, small(id))
		}
		testkit.Eventually(t, "all are settled", func() bool { return s.length(t) == 0 && buried.len() >= 3 })
		if d := cmp.Diff(map[int64]int{1: 1, 2: 1, 4: 1, 6: 1, 8: 1, 9: 1}, confirmed.times()); d != "" {
			t.Errorf("confirmed (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[int64]int{3: 1, 5: 1, 7: 1}, buried.times()); d != "" {
			t.Errorf("buried (-want +got):\n%s", d)
		}
	})
}

// The next batch is delivered while the previous one is being confirmed.
func TestDeliveryDoesNotWaitForConfirmation(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		second := make(chan struct{})
		q := s.intake(handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				if entries[0].NoticeID == 2 {
					close(second)
				}
				return nil
			},
			confirm: func(ctx context.Context, entries []delivery.Entry) error {
				if entries[0].NoticeID != 1 {
					return nil
				}
				select {
				case <-second:
					return nil
				case <-ctx.Done():
					return errors.New("2 was not delivered in the meantime")
				}
			},
		}, func(c *delivery.IntakeConfig) { c.Batch, c.Idle = 1, time.Minute })
		start(t, q)
		s.put(t, small(1), small(2))
		testkit.Eventually(t, "both are done", func() bool { return q.Stats().Done == 2 })
	})
}
