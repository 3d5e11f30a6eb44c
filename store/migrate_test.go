package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// TestFirstSchemaIsMigrated starts with the schema of the first release, with a user and their
// session.
func TestFirstSchemaIsMigrated(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 1)
		for _, statement := range []string{
			`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at) VALUES (1, 'alice', 'alice', 'h', 3, 'ja', 1)`,
			`INSERT INTO sessions (id, seq, created_at, seen_at) VALUES ('a', 1, 1, 1)`,
			`INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender)
				VALUES ('sent', 1, 2, '{"users":["alice"]}', 'like', '', '', 'The LIFT works', '', '', FALSE, 'Bob')`,
			`UPDATE sequences SET value = 1 WHERE name = 'user'`,
		} {
			if _, err := old.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		s := db.open(t)
		signed, _, err := sessionOf(t.Context(), s, "a")
		want := notifier.User{Seq: 1, Name: "alice", Audience: 3, Settings: notifier.Settings{Locale: "ja"}}
		if diff := cmp.Diff(want, signed.User); err != nil || diff != "" {
			t.Errorf("alice after the migration, %v (-want +got):\n%s", err, diff)
		}
		if _, err := s.SetSettings(t.Context(), 1, notifier.PutSettings{KeysOff: new(true)}); err != nil {
			t.Error(err)
		}
		for _, part := range []string{"lift", "BOB"} {
			if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: part}))(t); len(found) != 1 || found[0].Title != "The LIFT works" {
				t.Errorf("searching %q finds %+v; want the existing notice", part, found)
			}
		}
		if bob := addUser(t, s, "bob"); bob.Seq != 2 {
			t.Errorf("the next user has number %d; want 2", bob.Seq)
		}
	})
}

// TestSchemaBeforeAnnouncementsIsMigrated starts with the schema before announcements, with users
// and an unfinished notice.
func TestSchemaBeforeAnnouncementsIsMigrated(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 4)
		for _, statement := range []string{
			`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at) VALUES
				(1, 'alice', 'alice', 'h', 3, 'ja', 1), (2, 'bob', 'bob', 'h', 2, 'en', 1), (3, 'carol', 'carol', 'h', 3, 'en', 1)`,
			`INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender)
				VALUES ('sending', 1, 2, '{"users":["alice"]}', 'like', '', '', 'The LIFT works', '', '', FALSE, 'Bob')`,
			`UPDATE sequences SET value = 3 WHERE name = 'user'`,
		} {
			if _, err := old.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		s := db.open(t)
		n := must(s.Notice(t.Context(), 1))(t)
		if n.State != notifier.StateSending || n.Window != (notifier.Window{}) || n.Announces() {
			t.Errorf("the existing notice became %+v", n)
		}
		if current := must(s.CurrentAnnouncements(t.Context()))(t); len(current) != 0 {
			t.Errorf("current announcements are %+v; want none", current)
		}
		a := announce(t, s, db.announcement("The stairs, too", 0, 1, 3))
		p := must(s.SettleTop(t.Context(), notifier.PartKey{ID: a.ID, Audience: 3}))(t)
		if a.ID != 2 || p.Top != 3 || p.Members != 2 {
			t.Errorf("announcement %d opened for %d users up to %d; want announcement 2 for 2 users up to 3", a.ID, p.Members, p.Top)
		}
	})
}

// TestSchemaBeforeSnapshotsIsMigrated starts with the schema before snapshots, with a user and a
// notice.
func TestSchemaBeforeSnapshotsIsMigrated(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 5)
		for _, statement := range []string{
			`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at) VALUES (1, 'alice', 'alice', 'h', 3, 'ja', 1)`,
			`INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender)
				VALUES ('sent', 1, 9999999999999, '{"users":["alice"]}', 'like', '', '', 'The LIFT works', '', '', FALSE, 'Bob')`,
		} {
			if _, err := old.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		s := db.open(t)
		wantSnapshots(t, s, []int64{1}, notifier.Snapshot{Seq: 1})
		wantCounts(t, s, 1)
		save(t, s, snapshot(1, 5, 3))
		saveCounts(t, s, notifier.NoticeCount{NoticeID: 1, Partition: 1, Delivered: 1})
		wantSnapshots(t, s, []int64{1}, snapshot(1, 5, 3))
		wantCounts(t, s, 1, notifier.NoticeCount{NoticeID: 1, Partition: 1, Delivered: 1})
	})
}

// TestSnapshotFromBeforeKeptNoticesIsStillRead starts with a row of the previous version.
func TestSnapshotFromBeforeKeptNoticesIsStillRead(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 8)
		was := snapshot(1, 8, 3)
		was.Rows, was.Kept, was.Archived = rows(3), nil, nil
		if _, err := old.ExecContext(t.Context(), `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at)
			VALUES (1, 'alice', 'alice', 'h', 3, 'ja', 1)`); err != nil {
			t.Fatal(err)
		}
		if _, err := old.ExecContext(t.Context(), `INSERT INTO inbox_snapshots (seq, ver, unread, opened, floor, entries, gone)
			VALUES (1, $1, $2, $3, $4, $5, $6)`, was.Ver, was.Unread, was.Opened, was.Floor, store.EncodeRows(was.Rows), store.EncodeGone(was.Gone)); err != nil {
			t.Fatal(err)
		}
		s := db.open(t)
		wantSnapshots(t, s, []int64{1}, was)
		save(t, s, snapshot(1, 9, 3), snapshot(1, 10, 3))
		wantSnapshots(t, s, []int64{1}, snapshot(1, 10, 3))
	})
}

func TestBothDatabasesHaveTheSameMigrations(t *testing.T) {
	t.Parallel()
	files := func(dialect string) (names []string) {
		for _, e := range must(os.ReadDir(filepath.Join("migrations", dialect)))(t) {
			names = append(names, e.Name())
		}
		return names
	}
	if lite, pg := files("sqlite"), files("postgres"); !slices.Equal(lite, pg) {
		t.Errorf("SQLite has %v, PostgreSQL %v", lite, pg)
	}
}

// raw opens the database without the store.
func (db *database) raw(t *testing.T) *sql.DB {
	t.Helper()
	driver, dsn := "sqlite", "file:"+filepath.Join(db.cfg.DataDir, "carillon.db")+"?_pragma=busy_timeout(5000)&_pragma=foreign_keys(1)"
	if db.cfg.URL != "" {
		driver, dsn = "pgx", db.cfg.URL
	}
	raw := must(sql.Open(driver, dsn))(t)
	t.Cleanup(func() { _ = raw.Close() })
	return raw
}

// TestDevicesOfSessionsSurviveTheMigration starts with the schema in which a device ended with its session, and
// continues next to a server that still registers such devices.
func TestDevicesOfSessionsSurviveTheMigration(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 42)
		add := func(id int, session string) {
			t.Helper()
			if _, err := old.ExecContext(t.Context(), fmt.Sprintf(`INSERT INTO targets (seq, kind, address, keys, label, session, token, state, wait, told, created_at, seen_at)
				VALUES (1, 'push', 'https://push.example/%d', '', 'Firefox', %s, 't%d', 'on', 0, 0, 1, 1)`, id, session, id)); err != nil {
				t.Fatal(err)
			}
		}
		for _, statement := range []string{
			`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at) VALUES (1, 'alice', 'alice', 'h', 3, 'ja', 1)`,
			`INSERT INTO sessions (id, seq, created_at, seen_at) VALUES ('a', 1, 1, 1), ('b', 1, 1, 1)`,
		} {
			if _, err := old.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		add(1, "'a'")
		add(2, "NULL")
		s := db.open(t)
		if got := must(s.Devices(t.Context(), 1, "a"))(t); len(got) != 2 || !got[0].Here || got[1].Here {
			t.Errorf("after the migration: %+v", got)
		}
		add(3, "'b'")
		now := time.Now()
		must(s.PurgeDevices(t.Context(), now.Add(-90*24*time.Hour)))(t) // old devices are registered again; the third belongs to an old server
		must(s.PurgeSessions(t.Context(), notifier.SessionLimits{Since: now, Seen: now, Now: now}))(t)
		if got := must(s.SessionsOf(t.Context(), 1))(t); len(got) > 0 {
			t.Errorf("sessions %v go on", got)
		}
		wantEndpoints(t, s, 1, "after the sessions", "1", "2")
		add(4, "NULL")
		wantEndpoints(t, s, 1, "beside a server of the former version", "1", "2", "4")
	})
}

// ofVersion creates the schema of an older release and opens the database.
func (db *database) ofVersion(t *testing.T, version int64) *sql.DB {
	t.Helper()
	raw, dialect, dir := db.raw(t), goose.DialectSQLite3, "sqlite"
	if db.cfg.URL != "" {
		dialect, dir = goose.DialectPostgres, "postgres"
	}
	files := os.DirFS(filepath.Join("migrations", dir))
	provider := must(goose.NewProvider(dialect, raw, files, goose.WithDisableGlobalRegistry(true)))(t)
	must(provider.UpTo(t.Context(), version))(t)
	return raw
}
