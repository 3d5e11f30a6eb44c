package testkit

import (
	"context"
	"time"
)

// Patience limits every wait of a test for an event. No event takes nearly as long, even on a busy machine: a wait
// this long means a hang. Benchmarks measure speed.
const Patience = 2 * time.Minute

// Between two polls a wait rests four times as long as a poll takes, within these bounds. So an expensive poll, such
// as one of a browser, leaves the processor to the event that the test waits for.
const (
	leastRest = 2 * time.Millisecond
	mostRest  = 100 * time.Millisecond
)

// TB is a test, a benchmark or a run of a rapid property.
type TB interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Eventually waits until ok returns true. It fails the test after Patience.
func Eventually(t TB, what string, ok func() bool) {
	t.Helper()
	if !poll(ok) {
		t.Fatalf("not in time: %s", what)
	}
}

// Until waits until look returns true, and returns what it saw. After Patience it fails the test with the last saw.
func Until[S any](t TB, what string, look func() (saw S, ok bool)) (saw S) {
	t.Helper()
	if !poll(func() (ok bool) { saw, ok = look(); return ok }) {
		t.Fatalf("not in time: %s; seen last: %+v", what, saw)
	}
	return saw
}

// Next returns the next value from a channel. It fails the test if the channel is closed, or after Patience.
func Next[E any](t TB, what string, events <-chan E) (e E) {
	t.Helper()
	over := time.NewTimer(Patience)
	defer over.Stop()
	select {
	case e, open := <-events:
		if !open {
			t.Fatalf("the channel was closed before: %s", what)
		}
		return e
	case <-over.C:
		t.Fatalf("not in time: %s", what)
		return e
	}
}

// Closed waits until a channel is closed or has a value. It fails the test after Patience.
func Closed[E any](t TB, what string, done <-chan E) {
	t.Helper()
	over := time.NewTimer(Patience)
	defer over.Stop()
	select {
	case <-done:
	case <-over.C:
		t.Fatalf("not in time: %s", what)
	}
}

// Try calls try until it returns nil. After Patience, which also ends the context, it returns the last error of try. It is
// for servers that start before any test.
func Try(try func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	poll(func() bool { err = try(ctx); return err == nil })
	return err
}

// poll calls ok until it returns true, and reports whether that was in time.
func poll(ok func() bool) bool {
	for began := time.Now(); ; {
		look := time.Now()
		if ok() {
			return true
		}
		if time.Since(began) >= Patience {
			return false
		}
		<-time.After(min(max(4*time.Since(look), leastRest), mostRest))
	}
}
