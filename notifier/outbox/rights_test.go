package outbox_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/outbox"
)

// refused waits until an outbox is refused with these words, once, and checks that nothing of it was read.
func refused(t *testing.T, r *rig, s *shop, words ...string) {
	t.Helper()
	o, _ := r.run(t)
	testkit.Eventually(t, "the outbox is refused", func() bool { return o.Stats()["shop"].Away && r.logs.has("outbox cannot be read") > 0 })
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
