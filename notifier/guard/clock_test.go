package guard_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/guard"
)

func TestRedisWithAWrongClockIsNotUsed(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1, onServer(redistest.Own(t)))
	var ahead atomic.Int64
	i := s.instance(t, func(c *guard.Config) {
		c.Wall = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	})
	for _, off := range []time.Duration{time.Hour, -time.Hour, 40 * time.Second, -40 * time.Second} {
		ahead.Store(int64(off))
		if err := i.Check(t.Context()); !errors.Is(err, guard.ErrClock) || !errors.Is(err, notifier.ErrUnavailable) {
			t.Errorf("%v ahead: %v", off, err)
		}
		i.wantClosed(t)
		if diff := (i.Offset() + off).Abs(); diff > 5*time.Second {
			t.Errorf("%v ahead, the offset of redis is %v", off, i.Offset())
		}
		if !errors.Is(i.Clock(), guard.ErrClock) || i.State() != guard.Away {
			t.Errorf("%v ahead: %v, %s", off, i.Clock(), i.State())
		}
	}
	for _, off := range []time.Duration{20 * time.Second, -20 * time.Second, 0} {
		ahead.Store(int64(off))
		if err := errors.Join(i.Check(t.Context()), i.Clock()); err != nil || i.State() != guard.Open {
			t.Errorf("%v ahead: %v, %s", off, err, i.State())
		}
	}
}

func TestClockThatGoesWrongLaterIsNoticed(t *testing.T) {
	t.Parallel()
	s := newSite(t, 1, onServer(redistest.Own(t)))
	var ahead atomic.Int64
	i := s.running(t, func(c *guard.Config) {
		c.Wall = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
		c.Every = 200 * time.Millisecond
	})
	i.awaits(t, guard.Open)
	ahead.Store(int64(time.Hour))
	i.awaits(t, guard.Away)
	i.wantClosed(t)
	ahead.Store(0)
	i.awaits(t, guard.Open)
}
