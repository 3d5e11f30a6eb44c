package channels_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// The pool of a closed client tries to reach a lost server for up to another second.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(sqltest.Wrap(redistest.Wrap(m)),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}
