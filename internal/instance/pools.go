package instance

import (
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"runtime/debug"
	"strings"

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

// registerBuild registers a gauge of 1 whose labels describe this build.
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

// profile serves Go's profiles, which operators fetch with `go tool pprof`. The command line is not among them: it
// may hold secrets. A page of another site that leads a name of its own here (DNS rebinding) gets nothing.
func profile(mux *http.ServeMux, addr string) {
	for path, serve := range map[string]http.HandlerFunc{"": pprof.Index, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace} {
		mux.HandleFunc("GET /debug/pprof/"+path, func(w http.ResponseWriter, r *http.Request) {
			if !ownHost(r.Host, addr) {
				http.Error(w, "profiles are served to an IP address, localhost, a name without dots, or the host of --admin-addr", http.StatusMisdirectedRequest) //nolint:forbidigo // plain text for a program
				return
			}
			serve(w, r)
		})
	}
	mux.HandleFunc("GET /debug/pprof/cmdline", http.NotFound)
}

// ownHost reports whether a Host is an address, a name that no site can register, or the host of addr.
func ownHost(host, addr string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.Trim(name, "[]")
	own, _, _ := net.SplitHostPort(addr)
	_, err := netip.ParseAddr(name)
	return err == nil || name == own || name != "" && !strings.Contains(name, ".") || strings.HasSuffix(name, ".localhost")
}
