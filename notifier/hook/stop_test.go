package hook_test

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// Otherwise the events that were claimed with those on their way would wait until the claim ends, and those on their way would be sent twice.
func TestAnInstanceThatStopsFinishesWhatIsOnItsWayAndReleasesTheRest(t *testing.T) {
	t.Parallel()
	const all, parallel = 10, 4
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	var arrived sync.WaitGroup
	arrived.Add(parallel)
	to := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
		arrived.Done()
		arrived.Wait()
		stop()
		w.WriteHeader(http.StatusNoContent)
	})
	h, _ := w.add("shop", to.URL)
	w.test(h, all)
	if err := w.stage.Round(ctx); err != nil {
		t.Fatal(err)
	}
	states := map[notifier.HookEventState]int{}
	for _, e := range w.events(h) {
		if states[e.State]++; e.State == notifier.HookWaiting && (e.DueAt.After(w.now()) || e.Tries > 0) {
			t.Errorf("an event that was not tried is due in %v, after %d tries", e.DueAt.Sub(w.now()), e.Tries)
		}
	}
	if states[notifier.HookDelivered] != parallel {
		t.Errorf("after the stop: %v", states)
	}
	to.set(nil)
	w.round() // of the next instance
	sent := map[string]int{}
	for _, m := range to.messages() {
		if sent[m.id()]++; sent[m.id()] > 1 {
			t.Errorf("event %s was sent again", m.id())
		}
	}
	if len(sent) != all {
		t.Errorf("%d events were sent, want %d", len(sent), all)
	}
}
