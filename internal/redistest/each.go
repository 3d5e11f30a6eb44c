package redistest

import (
	"testing"

	"github.com/redis/go-redis/v9"
)

// kinds contains a client for each kind of Redis that the tests of a package can share.
var kinds = map[string]func(t *testing.T) redis.UniversalClient{
	"server":    func(t *testing.T) redis.UniversalClient { t.Helper(); return Strict(t) },
	"cluster":   func(t *testing.T) redis.UniversalClient { t.Helper(); return Cluster(t) },
	"miniredis": func(t *testing.T) redis.UniversalClient { t.Helper(); _, c := Mini(t); return c },
}

// OnEach runs a test on a Strict server and on miniredis, concurrently.
func OnEach(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient)) {
	t.Helper()
	on(t, test, "server", "miniredis")
}

// OnServers runs a test on a Strict server and on a cluster. It is for features that miniredis lacks.
func OnServers(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient)) {
	t.Helper()
	on(t, test, "server", "cluster")
}

// OnAll runs a test on a Strict server, on a cluster and on miniredis. It is for one suite of a package, and
// only if no model of the package runs on a cluster: one node proves nearly everything in less time.
func OnAll(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient)) {
	t.Helper()
	on(t, test, "server", "cluster", "miniredis")
}

func on(t *testing.T, test func(t *testing.T, rdb redis.UniversalClient), names ...string) {
	t.Helper()
	t.Parallel()
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, kinds[name](t))
		})
	}
}
