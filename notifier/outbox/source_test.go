package outbox_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/outbox"
)

func TestASourceThatIsAwayIsReadAgainOnceItIsBack(t *testing.T) {
	t.Parallel()
	for _, kind := range []source.Dialect{source.Postgres, source.MySQL} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			s := newShop(t, kind)
			cut, mend := sqltest.Cut, sqltest.Mend
			if kind == source.MySQL {
				cut, mend = sqltest.CutMariaDB, sqltest.MendMariaDB
			}
			r := newRig(t, boxOf(t, s.address))
			o, _ := r.run(t)
			s.put(t, to("one"))
			s.empty(t)
			cut(t, s.address)
			testkit.Eventually(t, "the source is away", func() bool { return o.Stats()["shop"].Away && !o.Stats()["shop"].Reading })
			mend(t, s.address)
			testkit.Eventually(t, "it is read again", func() bool { return o.Stats()["shop"].Reading && !o.Stats()["shop"].Away })
			testkit.Eventually(t, "the application is connected again", func() bool { return s.db.PingContext(t.Context()) == nil })
			s.put(t, to("two"))
			s.empty(t)
			if diff := cmp.Diff([]string{"one", "two"}, r.titles(t)); diff != "" {
				t.Error(diff)
			}
			if n := r.logs.has("outbox cannot be read"); n > 2 { // the connection ends, and then new ones are refused
				t.Errorf("%d lines\n%s", n, r.logs.text())
			}
		})
	}
}

func TestANotificationIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	s := newShop(t, source.Postgres)
	r := newRig(t, boxOf(t, s.address))
	r.c.Every = time.Hour
	o, _ := r.run(t)
	testkit.Eventually(t, "it reads", func() bool { return o.Stats()["shop"].Reading })
	for range 3 {
		s.put(t, to("at once"))
		s.empty(t)
	}
}

// Behind a pooler, PostgreSQL neither notifies, nor may a session keep a lock.
func TestOneInstallationReadsThroughAPooler(t *testing.T) {
	t.Parallel()
	pooler := sqltest.Pooled(t)
	s := &shop{kind: source.Postgres, address: pooler.URL}
	s.open(t, "pgx", pooler.Direct+"&default_query_exec_mode=simple_protocol")
	one, two := newRig(t, boxOf(t, s.address)), newRig(t, boxOf(t, s.address))
	o, stop := one.run(t)
	testkit.Eventually(t, "the first reads", func() bool { return o.Stats()["shop"].Reading })
	other, stopOther := two.run(t)
	testkit.Eventually(t, "the second waits", func() bool { return two.logs.has("outbox is read by another instance") == 1 })
	s.put(t, to("one"), `{`)
	testkit.Eventually(t, "the rows are read", func() bool { return o.Stats()["shop"].Sent == 1 && o.Stats()["shop"].Faulty == 1 })
	stop()
	testkit.Eventually(t, "the second reads", func() bool { return other.Stats()["shop"].Reading })
	stopOther()
	testkit.Eventually(t, "no lock is left", func() bool {
		return s.count(t, `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`) == 0
	})
}

func TestAnOutboxHasTheRightsOfItsApp(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		box := boxOf(t, s.address)
		box.App = "front"
		r := newRig(t, box)
		s.put(t, `{"target": {"users": ["alice", "newcomer"]}, "title": "one", "link": "/orders/1"}`, `{"target": {"users": ["bad\u200bname"]}, "title": "two"}`)
		o, _ := r.run(t)
		testkit.Eventually(t, "the rows wait for the app", func() bool { return o.Stats()["shop"].Waiting })
		if got := s.errors(t); len(got) != 0 {
			t.Fatalf("errors %q", got)
		}
		a := notifier.App{Name: "front", Audience: 1, MaxLife: time.Hour, Origins: []string{"https://shop.example"}}
		a.Base = "https://shop.example/app"
		if _, err := r.store.AddApp(t.Context(), notifier.Actor{}, a, nil, []byte("a key")); err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, "the rows are read", func() bool { return o.Stats()["shop"].Sent == 1 && o.Stats()["shop"].Faulty == 1 })
		if n := r.sent(t)[0]; n.App.Name != "front" || n.Link != "https://shop.example/app/orders/1" || n.Recipients != 2 {
			t.Errorf("%+v", n)
		}
		if got := s.errors(t); len(got) != 1 || !strings.Contains(got[0], "target.users") {
			t.Errorf("errors %q", got)
		}
	})
}

func TestATableInAnotherSchemaIsRead(t *testing.T) {
	t.Parallel()
	s := newShop(t, source.Postgres)
	s.do(t, `CREATE SCHEMA "Shop"`)
	s.do(t, outbox.Schema(source.Postgres, "Shop.Outbox"))
	box := boxOf(t, s.address)
	box.Table = "Shop.Outbox"
	r := newRig(t, box)
	r.run(t)
	s.do(t, `INSERT INTO "Shop"."Outbox" (payload) VALUES ('`+to("one")+`')`)
	testkit.Eventually(t, "the row is sent", func() bool { return s.count(t, `SELECT COUNT(*) FROM "Shop"."Outbox"`) == 0 })
	if n := len(r.titles(t)); n != 1 {
		t.Errorf("%d notices", n)
	}
}

func TestTheLockOfSQLiteIsBesideTheFile(t *testing.T) {
	t.Parallel()
	s := newShop(t, source.SQLite)
	r := newRig(t, boxOf(t, s.address))
	o, _ := r.run(t)
	testkit.Eventually(t, "it reads", func() bool { return o.Stats()["shop"].Reading })
	if found := must(filepath.Glob(strings.TrimPrefix(s.address, "sqlite:") + "-carillon_outbox.lock"))(t); len(found) != 1 {
		t.Errorf("%q", found)
	}
}
