package testkit_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// failing records that a test failed.
type failing struct{ failed bool }

func (f *failing) Helper()               {}
func (f *failing) Fatalf(string, ...any) { f.failed = true; panic(f) }

func TestEventuallyWaitsForTheEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		testkit.Eventually(t, "a minute is over", func() bool { return time.Since(began) >= time.Minute })
	})
}

func TestEventuallyGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := &failing{}
		defer func() {
			if _ = recover(); !f.failed {
				t.Error("the test goes on")
			}
		}()
		testkit.Eventually(f, "never", func() bool { return false })
	})
}

func TestLogPassesMessagesOn(t *testing.T) {
	t.Parallel()
	log, seen := testkit.Log()
	log.Debug("hello", "to", "you")
	if got := <-seen; got != "hello" {
		t.Errorf("got %q", got)
	}
}
