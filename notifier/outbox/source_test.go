package outbox_test

import (
	"net/url"
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

// refused waits until an outbox is refused with these words, once, and checks that nothing of it was read.
func refused(t *testing.T, r *rig, s *shop, words ...string) {
	t.Helper()
	o, _ := r.run(t)
	testkit.Eventually(t, "the outbox is refused", func() bool { return o.Stats()["shop"].Away })
	r.c.Every *= 3
	testkit.Eventually(t, "it is tried again", func() bool { return r.logs.has("outbox cannot be read") > 0 })
	for _, word := range words {
		if !strings.Contains(r.logs.text(), word) {
			t.Errorf("no %q in\n%s", word, r.logs.text())
		}
	}
	if strings.Contains(r.logs.text(), "p@ss") || r.logs.has("outbox cannot be read") != 1 || r.logs.has("outbox is read") != 0 {
		t.Error(r.logs.text())
	}
	if _, err := outbox.Check(t.Context(), r.c.Boxes[0]); err == nil {
		t.Error("Check passes")
	}
	if n := s.count(t, `SELECT COUNT(*) FROM carillon_outbox`); n != 1 || len(r.titles(t)) != 0 {
		t.Errorf("%d rows are left, and %q were sent", n, r.titles(t))
	}
}

func TestAUserWhoMayNotChangeTheTableIsRefused(t *testing.T) {
	t.Parallel()
	for _, rights := range []string{"SELECT", "SELECT, DELETE", "SELECT, UPDATE", "DELETE, UPDATE"} {
		t.Run("postgres/"+rights, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, source.Postgres)
			s.put(t, to("one"))
			name := s.user(t)
			s.do(t, `GRANT `+rights+` ON carillon_outbox TO `+name)
			refused(t, newRig(t, boxOf(t, s.as(t, name))), s, "GRANT SELECT, DELETE, UPDATE (error) ON carillon_outbox")
		})
		t.Run("mysql/"+rights, func(t *testing.T) {
			t.Parallel()
			s := newShop(t, source.MySQL)
			s.put(t, to("one"))
			db := strings.TrimPrefix(must(url.Parse(s.address))(t).Path, "/")
			reader := sqltest.MariaUser(t, db, db+"_reader", rights+" ON "+db+".carillon_outbox")
			refused(t, newRig(t, boxOf(t, reader)), s, "GRANT SELECT, DELETE, UPDATE (error) ON carillon_outbox")
		})
	}
	t.Run("postgres/standby", func(t *testing.T) {
		t.Parallel()
		s := newShop(t, source.Postgres)
		s.put(t, to("one"))
		refused(t, newRig(t, boxOf(t, s.address+"&default_transaction_read_only=on")), s, "read-only")
	})
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		s := newShop(t, source.SQLite)
		s.put(t, to("one"))
		s.do(t, `CREATE TRIGGER keep BEFORE DELETE ON carillon_outbox BEGIN SELECT RAISE(ABORT, 'kept'); END`)
		s.do(t, `ALTER TABLE carillon_outbox RENAME TO rows`)
		s.do(t, `CREATE VIEW carillon_outbox AS SELECT * FROM rows`)
		refused(t, newRig(t, boxOf(t, s.address)), s, "cannot modify carillon_outbox because it is a view")
	})
}

func TestTheNamedGrantsSuffice(t *testing.T) {
	t.Parallel()
	for _, kind := range []source.Dialect{source.Postgres, source.MySQL} {
		s := newShop(t, kind)
		s.put(t, to("one"), `{`)
		var address string
		if kind == source.Postgres {
			name := s.user(t)
			s.do(t, `GRANT SELECT, DELETE, UPDATE (error) ON carillon_outbox TO `+name)
			address = s.as(t, name)
		} else {
			db := strings.TrimPrefix(must(url.Parse(s.address))(t).Path, "/")
			address = sqltest.MariaUser(t, db, db+"_carillon", "SELECT, DELETE, UPDATE (error) ON "+db+".carillon_outbox")
		}
		r := newRig(t, boxOf(t, address))
		o, _ := r.run(t)
		testkit.Eventually(t, "both rows are read", func() bool { return o.Stats()["shop"].Sent == 1 && o.Stats()["shop"].Faulty == 1 })
		if got, err := outbox.Check(t.Context(), r.c.Boxes[0]); err != nil || got != (outbox.State{Faulty: 1}) {
			t.Errorf("%s: %+v, %v", kind, got, err)
		}
	}
}

// user adds a user to PostgreSQL, without any rights.
func (s *shop) user(t *testing.T) (name string) {
	t.Helper()
	if err := s.db.QueryRowContext(t.Context(), `SELECT current_database() || '_reader'`).Scan(&name); err != nil {
		t.Fatal(err)
	}
	s.do(t, `CREATE ROLE `+name+` LOGIN`)
	return name
}

// as returns the address for a user.
func (s *shop) as(t *testing.T, name string) string {
	t.Helper()
	u := must(url.Parse(s.address))(t)
	u.User = url.UserPassword(name, "p@ss")
	return u.String()
}

func must[V any](v V, err error) func(*testing.T) V {
	return func(t *testing.T) V {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestATableWithoutAColumnIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		s.put(t, to("one"))
		s.do(t, `ALTER TABLE carillon_outbox DROP COLUMN error`)
		refused(t, newRig(t, boxOf(t, s.address)), s, "the table needs the columns id, payload, error and created_at", "carillon outbox schema")
	})
}

func TestAMissingTableIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, s *shop) {
		s.put(t, to("one"))
		box := boxOf(t, s.address)
		box.Table = "another"
		refused(t, newRig(t, box), s, "there is no such table", "carillon outbox schema")
	})
}

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
