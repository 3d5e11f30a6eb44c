package testkit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// failing records how a test failed.
type failing struct{ with string }

func (f *failing) Helper()                           {}
func (f *failing) Fatalf(format string, args ...any) { f.with = fmt.Sprintf(format, args...); panic(f) }

func TestEventuallyWaitsForTheEvent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		testkit.Eventually(t, "a minute is over", func() bool { return time.Since(began) >= time.Minute })
	})
}

func TestEveryWaitGivesUp(t *testing.T) {
	t.Parallel()
	for want, wait := range map[string]func(testkit.TB){
		"not in time: a change": func(f testkit.TB) { testkit.Eventually(f, "a change", func() bool { return false }) },
		"not in time: three; seen last: 2": func(f testkit.TB) {
			testkit.Until(f, "three", func() (int, bool) { return 2, false })
		},
		"not in time: a number": func(f testkit.TB) { testkit.Next(f, "a number", make(chan int)) },
		"the channel was closed before: a number": func(f testkit.TB) {
			closed := make(chan int)
			close(closed)
			testkit.Next(f, "a number", closed)
		},
		"not in time: its end": func(f testkit.TB) { testkit.Closed(f, "its end", make(chan int)) },
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &failing{}
			defer func() {
				if _ = recover(); f.with != want {
					t.Errorf("the test failed with %q, want %q", f.with, want)
				}
			}()
			wait(f)
		})
	}
}

func TestUntilReturnsWhatItSaw(t *testing.T) {
	t.Parallel()
	n := 0
	if got := testkit.Until(t, "three", func() (int, bool) { n++; return n, n == 3 }); got != 3 {
		t.Errorf("got %d", got)
	}
}

func TestTryReturnsTheLastErrorAtTheLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var last error
		err := testkit.Try(func(context.Context) error {
			last = errors.New("away")
			return last
		})
		if err == nil || !errors.Is(err, last) {
			t.Errorf("got %v, want %v", err, last)
		}
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
