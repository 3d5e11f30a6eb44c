package main

import (
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
)

// watched is a server and the Prometheus that scrapes it. The alerts about mail, clocks, sign-ins and late badges are
// in internal/instance, where a test has the clock and the limits.
type watched struct {
	*testkit.Prometheus
	t     *testing.T
	admin string
}

// watch checks that all these alerts are silent at first.
func watch(t *testing.T, admin string, alerts ...string) *watched {
	t.Helper()
	w := &watched{testkit.NewPrometheus(t, time.Minute), t, admin}
	w.scrapes(1)
	for _, alert := range alerts {
		w.Silent(alert)
	}
	return w
}

func (w *watched) scrapes(times int) {
	w.t.Helper()
	for range times {
		w.Scrape(w.page())
	}
}

// page returns the metrics, or nothing if there is no server.
func (w *watched) page() string {
	w.t.Helper()
	c, err := (&net.Dialer{}).DialContext(w.t.Context(), "tcp", strings.TrimPrefix(w.admin, "http://"))
	if err != nil {
		return ""
	}
	_ = c.Close()
	_, page := text(w.t, w.admin+"/metrics")
	return page
}

// value returns the current sum of a metric's series.
func (w *watched) value(name string) (sum float64) {
	w.t.Helper()
	for _, found := range regexp.MustCompile(`(?m)^`+name+`(?:\{.*\})? (\S+)$`).FindAllStringSubmatch(w.page(), -1) {
		value, err := strconv.ParseFloat(found[1], 64)
		if err != nil {
			w.t.Fatal(err)
		}
		sum += value
	}
	return sum
}

// fire checks that these alerts fire now.
func (w *watched) fire(alerts ...string) {
	w.t.Helper()
	for _, alert := range alerts {
		w.Fires(alert)
	}
	w.Check(w.t)
}

var order = url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "title": {"Your order left"}}

// demonstrates starts a server with the demonstration, and signs alice in. It checks that all these alerts are
// silent.
func demonstrates(t *testing.T, c call, alerts ...string) (*running, browser, *watched) {
	t.Helper()
	s := serve(t, c, "--demo", "--admin-addr", "127.0.0.1:0")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	return s, alice, watch(t, s.Admin, alerts...)
}

func TestTheAlertOfAServerThatIsDownFires(t *testing.T) {
	t.Parallel()
	s, _, w := demonstrates(t, in(t.TempDir()), "CarillonDown")
	s.stop()
	w.scrapes(3)
	w.fire("CarillonDown")
}

func TestTheAlertsOfARedisThatIsAwayFire(t *testing.T) {
	t.Parallel()
	proxy := faulty.Listen(t, "unix", redistest.Own(t).Socket)
	alerts := []string{"CarillonRedisAway", "CarillonNoticesWait"}
	_, alice, w := demonstrates(t, in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis")), alerts...)
	proxy.Refuse(true)
	alice.post(t, "/staff/send", order)
	testkit.Eventually(t, "Redis is away, and a notice waits for half a minute", func() bool {
		return w.value("carillon_redis_state") < 2 && w.value("carillon_intake_oldest_seconds") > 30
	})
	w.scrapes(3)
	w.fire(alerts...)
}

func TestTheAlertsOfALockedDatabaseFire(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	alerts := []string{"CarillonSQLBehind", "CarillonSQLRefuses"}
	s, _, w := demonstrates(t, c, alerts...)
	bob := visit(t, s.URL)
	bob.signIn(t, "bob", "bob-demo")
	release := locksSQLite(t, c)
	bob.post(t, "/inbox/unread", url.Values{"key": {bob.entries(t)[0]}})
	testkit.Eventually(t, "a change has waited for SQL for half a minute", func() bool {
		return w.value("carillon_flush_lag_seconds") > 30 && w.value("carillon_sql_refused_total") > 0
	})
	w.scrapes(4)
	w.fire(alerts...)
	release()
}

func TestTheAlertOfRequestsThatFailFires(t *testing.T) {
	t.Parallel()
	direct, err := url.Parse(sqltest.Pooled(t).URL)
	if err != nil {
		t.Fatal(err)
	}
	database := faulty.Listen(t, "tcp", direct.Host)
	direct.Host = database.Addr()
	c := shared(t).with("CARILLON_DATABASE_URL", direct.String())
	must(t, c.typing("alice-secret").run(t.Context(), "user", "add", "alice", "--password-stdin"))
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-secret")
	w := watch(t, s.Admin, "CarillonRequestsFail")
	database.Refuse(true)
	for range 8 {
		if status, _ := alice.visits(t, "/settings"); status < 500 {
			t.Fatalf("/settings without a database: %d", status)
		}
		w.scrapes(1)
	}
	w.fire("CarillonRequestsFail")
	database.Refuse(false)
}

// A call that took a second would mean that Redis is unavailable.
func TestTheAlertOfASlowRedisFires(t *testing.T) {
	t.Parallel()
	proxy := faulty.Listen(t, "unix", redistest.Own(t).Socket)
	_, alice, w := demonstrates(t, in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis")))
	proxy.Delay(300 * time.Millisecond)
	for range 2 {
		alice.get(t, "/inbox")
		w.scrapes(4)
	}
	w.fire("CarillonRedisSlow")
	proxy.Delay(0)
}

func TestTheAlertsOfInboxesThatAreBrokenFire(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	_, alice, w := demonstrates(t, c, "CarillonDrift", "CarillonDeadLetters")
	rdb, space := server.Client(t), keys.New("carillon:")
	alice.post(t, "/staff/send", order) // which loads bob's inbox into Redis
	testkit.Eventually(t, "bob has an inbox", func() bool { return rdb.Exists(t.Context(), space.State(2)).Val() == 1 })
	if err := rdb.HIncrBy(t.Context(), space.State(2), "unread", 5).Err(); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the count is found to be wrong", func() bool { return w.value("carillon_drift_total") > 0 })
	w.scrapes(1)
	w.Fires("CarillonDrift")

	if err := rdb.Set(t.Context(), space.State(2), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	alice.post(t, "/staff/send", order)
	testkit.Eventually(t, "its delivery has failed five times", func() bool { return w.value("carillon_dead_letters") > 0 })
	w.scrapes(2)
	w.fire("CarillonDeadLetters")
}

func TestTheAlertOfASystemWithoutFilesFires(t *testing.T) {
	t.Parallel()
	const most = 100
	admin := testkit.Address()
	cmd, address, _ := processOf(t, exec.CommandContext(t.Context(), "sh", "-c", fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, most),
		os.Args[0], "serve", "--addr", "127.0.0.1:0", "--admin-addr", admin, "--data-dir", t.TempDir()))
	w := watch(t, "http://"+admin, "CarillonFilesShort")
	for n := w.value("process_open_fds"); n <= 0.85*most; n++ {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(address, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	w.scrapes(7)
	w.fire("CarillonFilesShort")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
