package instance

import (
	"net/http"
	"net/http/pprof"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/redis/go-redis/v9"
)

// registerPool registers the figures of the connections to Redis.
func registerPool(m meter, stats func() *redis.PoolStats) {
	m.gauge("carillon_redis_connections", "Connections to Redis, without those of streams.", func() float64 { return float64(stats().TotalConns) })
	m.gauge("carillon_redis_connections_idle", "Those that are idle.", func() float64 { return float64(stats().IdleConns) })
	m.counter("carillon_redis_connection_waits_total", "Calls that waited for a connection.", func() int64 { return int64(stats().WaitCount) })
	m.counter("carillon_redis_connection_timeouts_total", "Calls that waited for a connection in vain.", func() int64 { return int64(stats().Timeouts) })
}

// registerBuild registers a 1 whose labels say what runs here.
func registerBuild(m meter) {
	build := prometheus.Labels{"version": "(devel)", "goversion": "", "revision": ""}
	if info, ok := debug.ReadBuildInfo(); ok {
		build["goversion"] = info.GoVersion
		if info.Main.Version != "" {
			build["version"] = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				build["revision"] = s.Value
			}
		}
	}
	m.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "carillon_build_info", Help: "1; the labels say which build this is.", ConstLabels: build,
	}, func() float64 { return 1 }))
}

// profile serves Go's profiles, which operators fetch with `go tool pprof`.
func profile(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
}
