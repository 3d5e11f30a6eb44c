package main

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/faulty"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// metric returns the value of one metric on a metrics page.
func metric(t *testing.T, page, name string) float64 {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + ` (\S+)$`).FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("no %s in:\n%s", name, page)
	}
	value, err := strconv.ParseFloat(found[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestNoticesThatRedisRefusesAreCountedAsWaiting(t *testing.T) {
	t.Parallel()
	server := redistest.Own(t)
	proxy := faulty.Listen(t, "unix", server.Socket)
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", proxy.URL("redis"))
	s := serve(t, c, "--demo", "--admin-addr", "127.0.0.1:0")
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-demo")
	rdb := server.Client(t)
	maxmemory := func(limit string) {
		if err := rdb.ConfigSet(t.Context(), "maxmemory", limit).Err(); err != nil {
			t.Fatal(err)
		}
	}
	waiting := func() (n, oldest float64) {
		_, page := text(t, s.Admin+"/metrics")
		return metric(t, page, "carillon_intake_backlog"), metric(t, page, "carillon_intake_oldest_seconds")
	}
	for _, fault := range []struct {
		name         string
		begin, end   func()
		alsoByDoctor string
	}{
		{"redis is full", func() { maxmemory("1") }, func() { maxmemory("0") }, "raise maxmemory"},
		{"redis is away", func() { proxy.Refuse(true) }, func() { proxy.Refuse(false) }, "it closes the connection"},
	} {
		testkit.Eventually(t, "nothing waits before "+fault.name, func() bool { n, _ := waiting(); return n == 0 })
		fault.begin()
		sent := time.Now()
		for range 3 {
			alice.post(t, "/staff/send", url.Values{"target": {"user"}, "to": {"bob"}, "type": {"order"}, "title": {"Your order left"}})
		}
		testkit.Eventually(t, fault.name+": all three are counted, with the age of the oldest", func() bool {
			n, oldest := waiting()
			return n == 3 && oldest > 0.5 && oldest <= time.Since(sent).Seconds()
		})
		r := c.run(t.Context(), "doctor")
		wantWords(t, r.out, "undelivered notice came", "(3 notices)", fault.alsoByDoctor)
		fault.end()
	}
	testkit.Eventually(t, "all notices are delivered", func() bool { n, oldest := waiting(); return n == 0 && oldest == 0 })
	if r := c.run(t.Context(), "doctor"); !strings.Contains(r.out, "no notice waits to be delivered") {
		t.Errorf("the doctor:\n%s", r.out)
	}
}
