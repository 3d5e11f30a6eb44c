package delivery_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/delivery"
)

// running returns an intake that takes entries directly, because its lane has delivered one.
func (s *site) running(t tb, h handler) *delivery.Intake {
	t.Helper()
	q := s.intake(h)
	start(t, q)
	s.put(t, small(1))
	testkit.Eventually(t, "the first is done", func() bool { return q.Stats().Done == 1 })
	return q
}

func TestANoticeIsDeliveredWhereItWasAcceptedWithoutTheStream(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		var delivered, confirmed log
		q := s.running(t, handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				delivered.add(entries...)
				return nil
			},
			confirm: func(_ context.Context, entries []delivery.Entry) error {
				confirmed.add(entries...)
				return nil
			},
		})
		q.Add(small(2), small(3))
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == 3 })
		for name, l := range map[string]*log{"delivered": &delivered, "confirmed": &confirmed} {
			got := l.all()
			if len(got) != 3 || got[1].ID != "" || got[2].ID != "" || got[1].NoticeID != 2 || got[2].NoticeID != 3 {
				t.Errorf("%s: %v", name, got)
			}
		}
	})
}

// Beyond what the lane takes, entries go through the stream, where other instances take their share.
// Those that are added while they wait there follow them.
func TestNoticesStayInOrderWhenTheLaneIsFull(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		const most = 1500
		var delivered log
		begun, let := make(chan struct{}), make(chan struct{})
		q := s.running(t, handler{deliver: func(_ context.Context, entries []delivery.Entry) []error {
			if entries[0].NoticeID == 2 {
				close(begun)
				<-let
			}
			delivered.add(entries...)
			return nil
		}})
		q.Add(small(2))
		<-begun
		for id := int64(3); id < most; id++ {
			q.Add(small(id))
		}
		close(let)
		q.Add(small(most))
		testkit.Eventually(t, "all are done", func() bool { return q.Stats().Done == most })
		through := 0
		for i, e := range delivered.all() {
			if e.NoticeID != int64(i+1) {
				t.Fatalf("notice %d was delivered in place %d", e.NoticeID, i+1)
			}
			if e.ID != "" {
				through++
			}
		}
		if through < most-1200 {
			t.Errorf("%d went through the stream", through)
		}
	})
}

func TestWhatCannotBeDeliveredDirectlyGoesIntoTheStream(t *testing.T) {
	refused := errors.New("this inbox is broken")
	onEachRedis(t, func(t *testing.T, s *site) {
		var tried, confirmed, buried log
		q := s.running(t, handler{
			deliver: func(_ context.Context, entries []delivery.Entry) []error {
				errs := make([]error, len(entries))
				for i, e := range entries {
					tried.add(e)
					switch {
					case e.NoticeID == 2:
						errs[i] = refused
					case e.NoticeID == 3 && e.ID == "":
						errs[i] = notifier.ErrUnavailable
					}
				}
				return errs
			},
			confirm: func(_ context.Context, entries []delivery.Entry) error {
				for _, e := range entries {
					if e.NoticeID == 4 && e.ID == "" {
						return notifier.ErrUnavailable
					}
				}
				confirmed.add(entries...)
				return nil
			},
			bury: func(_ context.Context, e delivery.Entry, _ map[string]any, _ error) error {
				buried.add(e)
				return nil
			},
		})
		for id := int64(2); id <= 4; id++ {
			q.Add(small(id))
			testkit.Eventually(t, "it has been tried", func() bool { return tried.times()[id] > 0 })
		}
		testkit.Eventually(t, "one is buried, the others are done", func() bool {
			return buried.len() == 1 && q.Stats().Done == 3 && s.length(t) == 0
		})
		if d := cmp.Diff(map[int64]int{1: 1, 2: 6, 3: 2, 4: 2}, tried.times()); d != "" {
			t.Errorf("tries (-want +got):\n%s", d)
		}
		if d := cmp.Diff(map[int64]int{1: 1, 3: 1, 4: 1}, confirmed.times()); d != "" {
			t.Errorf("confirmed (-want +got):\n%s", d)
		}
		if e := buried.all()[0]; e.NoticeID != 2 || e.ID == "" || !e.Taken.Equal(time.Time{}) {
			t.Errorf("buried %+v", e)
		}
	})
}
