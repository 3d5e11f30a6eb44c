package main

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestTheAlertsOfAnOutboxFire(t *testing.T) {
	t.Parallel()
	c := watching(t, anOutbox)
	db, err := sql.Open("sqlite", strings.TrimPrefix(c.env["CARILLON_RULE_SOURCE_WAREHOUSE"], "sqlite:"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	run := func(statement string) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	run(must(t, c.run(t.Context(), "outbox", "schema", "--dialect", "sqlite", "--table", "box")).out)
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	w := watch(t, s.Admin)
	testkit.Eventually(t, "the outbox is read", func() bool { return w.value("carillon_outbox_reading") == 1 })
	w.scrapes(1)
	w.Silent("CarillonOutboxWaits")
	w.Silent("CarillonOutboxFaulty")
	run(`INSERT INTO box (payload) VALUES ('no JSON')`)
	testkit.Eventually(t, "a faulty row", func() bool { return w.value("carillon_outbox_faulty_total") == 1 })
	w.scrapes(1)
	w.Fires("CarillonOutboxFaulty")
	run(`DROP TABLE box`)
	testkit.Eventually(t, "the outbox is away", func() bool { return w.value("carillon_outbox_away") == 1 })
	w.scrapes(7)
	w.fire("CarillonOutboxWaits")
}

func TestTheAlertsOfWebhooksFire(t *testing.T) {
	t.Parallel()
	var status atomic.Int64
	status.Store(http.StatusInternalServerError)
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) }))
	t.Cleanup(to.Close)
	c := in(t.TempDir())
	c.env["CARILLON_OUTBOUND_ALLOW"] = "127.0.0.0/8"
	s := serve(t, c, "--admin-addr", "127.0.0.1:0")
	must(t, c.run(t.Context(), "hook", "add", "shop", "--url", to.URL, "--event", "notice.sent"))
	w := watch(t, s.Admin, "CarillonWebhooksFail", "CarillonWebhookOff")
	c.run(t.Context(), "hook", "test", "shop")
	testkit.Eventually(t, "a webhook fails", func() bool { return w.value("carillon_hooks_failing") == 1 })
	w.scrapes(17)
	w.Fires("CarillonWebhooksFail")
	status.Store(http.StatusGone)
	c.run(t.Context(), "hook", "test", "shop")
	testkit.Eventually(t, "a webhook is off", func() bool { return w.value("carillon_hooks_off") == 1 })
	w.scrapes(1)
	w.fire("CarillonWebhookOff")
}
