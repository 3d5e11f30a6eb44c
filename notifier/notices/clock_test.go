package notices_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestNothingIsAcceptedWhileTheClockIsWrong(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	c := r.config()
	wrong := fmt.Errorf("an hour ahead: %w", notifier.ErrUnavailable)
	c.Clock = func() error { return wrong }
	counted := &commits{Store: r.store}
	c.Store = counted
	p := running(t, c)
	requests := []notifier.Request{{Draft: toUsers("u1")}, {Draft: toAudiences(3)}}
	for i, result := range p.SendAll(t.Context(), notifier.Actor{}, requests) {
		if !errors.Is(result.Err, notifier.ErrUnavailable) {
			t.Errorf("request %d: %v", i, result.Err)
		}
	}
	if n := counted.accepts.Load(); n != 0 {
		t.Errorf("%d calls to AcceptAll", n)
	}
	wrong = nil
	for i, result := range p.SendAll(t.Context(), notifier.Actor{}, requests) {
		if result.Err != nil {
			t.Errorf("request %d, with a correct clock: %v", i, result.Err)
		}
	}
}
