package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

// trodden starts a site where bob has left data everywhere: he signed in, and received, read and sent notices.
func trodden(t *testing.T, c call) (s *running, bob browser) {
	t.Helper()
	for _, name := range []string{"alice", "bob"} {
		must(t, c.typing(name+"-secret").run(t.Context(), "user", "add", name, "--password-stdin", "--role", "staff"))
	}
	s = serve(t, c)
	bob = visit(t, s.URL)
	bob.signIn(t, "bob", "bob-secret")
	for _, args := range [][]string{
		{"send", "--to", "bob", "--type", "order", "--subject", "order:42", "--title", "For one"},
		{"send", "--to", "bob", "--to", "alice", "--type", "order", "--title", "For two"},
		{"send", "--role", "staff", "--type", "order", "--title", "For all"},
		{"announce", "--audience", "user", "--title", "Closed tomorrow"},
	} {
		must(t, c.run(t.Context(), args...))
	}
	if n := len(bob.entries(t)); n != 3 {
		t.Fatalf("bob has %d entries", n)
	}
	bob.get(t, "/announcements/4")
	bob.post(t, "/staff/send", map[string][]string{"target": {"user"}, "to": {"alice"}, "type": {"note"}, "title": {"From him"}})
	return s, bob
}

func TestDeletingAUserLeavesNoData(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), redistest.Own(t)
	c := in(dir).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	s, bob := trodden(t, c)
	bob.post(t, "/staff/send", map[string][]string{"target": {"user"}, "to": {"bob"}, "type": {"note"}, "title": {"It shows a toast"}, "toast": {"1"}})
	rdb := server.Client(t)
	testkit.Eventually(t, "SQL is up to date", func() bool { return marks(t, rdb) == 0 })

	r := must(t, c.run(t.Context(), "user", "delete", "bob", "--json"))
	if want := `{"name":"bob","seq":2,"sessions":1}`; strings.TrimSpace(r.out) != want {
		t.Errorf("it prints %s, want %s", r.out, want)
	}
	if form := bob.get(t, "/inbox").Find("form[action='/login']").Length(); form != 1 {
		t.Error("the deleted user is still signed in")
	}
	must(t, c.run(t.Context(), "send", "--role", "staff", "--type", "order", "--title", "Without him"))
	alice := visit(t, s.URL)
	alice.signIn(t, "alice", "alice-secret")
	if n := len(alice.entries(t)); n != 4 {
		t.Errorf("alice has %d entries", n)
	}
	if status := s.stop(); status != 0 { // write-behind is complete
		t.Fatalf("status %d", status)
	}
	if found := inRedis(t, rdb, "user_id:2", "2|", "|2"); len(found) > 0 {
		t.Errorf("Redis still has data of the user: %q", found)
	}
	if bit, err := rdb.GetBit(t.Context(), keys.New("carillon:").Bits(2, 4), 2).Result(); err != nil || bit != 0 {
		t.Errorf("Redis still has the user's read bit of the announcement: %d, %v", bit, err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "carillon.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if found := inSQL(t, db, "bob"); len(found) > 0 {
		t.Errorf("SQL still has data of the user: %q", found)
	}
	r = c.run(t.Context(), "user", "delete", "bob")
	wantWords(t, r.errors, `there is no user "bob"`)
}

// inRedis returns the keys and set members in Redis that contain any of these words.
func inRedis(t *testing.T, rdb *redis.Client, words ...string) (found []string) {
	t.Helper()
	has := func(text string) bool {
		return slices.ContainsFunc(words, func(word string) bool { return strings.HasSuffix(text, word) || strings.HasPrefix(text, word) })
	}
	all, err := rdb.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range all {
		if stamp := strings.Contains(key, "changed:user_id:"); stamp && rdb.TTL(t.Context(), key).Val() > 0 {
			continue // a random text, which makes instances drop the user, and is gone after a minute
		}
		if has(key) {
			found = append(found, key)
		}
		if !strings.HasSuffix(key, "{p02}") || strings.Contains(key, "flushed:") || strings.Contains(key, "counts:") {
			continue
		}
		if strings.Contains(key, "stream:toast:") {
			entries, err := rdb.XRange(t.Context(), key, "-", "+").Result()
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range entries {
				if e.Values["user"] == "2" {
					found = append(found, key+" "+e.ID)
				}
			}
			continue
		}
		members, err := rdb.ZRange(t.Context(), key, 0, -1).Result()
		if err != nil {
			t.Fatalf("%s: %v", key, err)
		}
		for _, member := range members {
			if member == "2" || has(member) {
				found = append(found, key+" "+member)
			}
		}
	}
	return found
}

// inSQL returns the places in the tables that contain this word.
func inSQL(t *testing.T, db *sql.DB, word string) (found []string) {
	t.Helper()
	query := func(q string, each func(rows *sql.Rows)) {
		rows, err := db.QueryContext(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			each(rows)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	var tables []string
	query(`SELECT name FROM sqlite_master WHERE type = 'table'`, func(rows *sql.Rows) {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	})
	for _, table := range tables {
		query(`SELECT * FROM `+table, func(rows *sql.Rows) {
			columns, err := rows.Columns()
			if err != nil {
				t.Fatal(err)
			}
			row := make([]any, len(columns))
			for i := range row {
				row[i] = new(sql.RawBytes)
			}
			if err := rows.Scan(row...); err != nil {
				t.Fatal(err)
			}
			for i, value := range row {
				if text := string(*value.(*sql.RawBytes)); strings.Contains(text, word) {
					found = append(found, fmt.Sprintf("%s.%s: %s", table, columns[i], text))
				}
			}
		})
	}
	return found
}

func TestTheServerCompletesAnInterruptedDeletion(t *testing.T) {
	t.Parallel()
	dir, server := t.TempDir(), redistest.Own(t)
	c := in(dir).with("CARILLON_REDIS_URL", "unix://"+server.Socket)
	s, _ := trodden(t, c)
	rdb := server.Client(t)
	testkit.Eventually(t, "SQL is up to date", func() bool { return marks(t, rdb) == 0 })
	if status := s.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	db, err := store.Open(t.Context(), store.Config{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, _, err = db.BeginDeletion(t.Context(), "bob"); err != nil { // and the command is killed here
		t.Fatal(err)
	}
	wantWords(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin").errors, "being deleted")
	s = serve(t, c)
	testkit.Eventually(t, "the deletion is complete", func() bool {
		left, err := db.Deletions(t.Context(), 1)
		return err == nil && len(left) == 0
	})
	if status := s.stop(); status != 0 {
		t.Fatalf("status %d", status)
	}
	if found := inRedis(t, rdb, "user_id:2", "2|", "|2"); len(found) > 0 {
		t.Errorf("Redis still has data of the user: %q", found)
	}
	raw, err := sql.Open("sqlite", filepath.Join(dir, "carillon.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if found := inSQL(t, raw, "bob"); len(found) > 0 {
		t.Errorf("SQL still has data of the user: %q", found)
	}
}

// The built-in Redis rewrites its file, and SQLite overwrites deleted rows.
func TestDeletedDataIsNotInTheFilesOfASingleMachine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := in(dir)
	const name = "rumpelstiltskin"
	must(t, c.typing("a-secret").run(t.Context(), "user", "add", name, "--password-stdin"))
	must(t, c.typing("b-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	s := serve(t, c)
	visit(t, s.URL).signIn(t, name, "a-secret")
	for range 30 {
		must(t, c.run(t.Context(), "send", "--to", name, "--to", "bob", "--type", "order", "--title", "For two"))
		must(t, c.run(t.Context(), "send", "--to", name, "--type", "order", "--title", "For "+name, "--toast"))
	}
	if found := inFiles(t, dir, name, "redis"); len(found) == 0 {
		t.Fatalf("before the deletion the name is only in %q: this test proves nothing", found)
	}
	must(t, c.run(t.Context(), "user", "delete", name))
	if found := inFiles(t, dir, name, "redis"); len(found) > 0 {
		t.Errorf("the deleted name is in %q", found)
	}
	testkit.Eventually(t, "Redis has rewritten its file", func() bool {
		old, err := filepath.Glob(filepath.Join(dir, "redis", "appendonlydir", "appendonly.aof.1.*"))
		return err == nil && len(old) == 0
	})
}

// inFiles returns the files below a directory that contain a word, except for one part of the
// directory.
func inFiles(t *testing.T, dir, word, but string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == but {
			return filepath.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(word)) {
			found = append(found, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestNobodyIsDeletedWhileRedisIsAway(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir()).with("CARILLON_REDIS_URL", "redis://"+testkit.Address())
	must(t, c.typing("bob-secret").run(t.Context(), "user", "add", "bob", "--password-stdin"))
	r := c.run(t.Context(), "user", "delete", "bob")
	if r.status != exitFailed {
		t.Errorf("status %d", r.status)
	}
	wantWords(t, r.errors, "nobody was deleted", "Redis")
	wantWords(t, must(t, c.run(t.Context(), "user", "list")).out, "bob")
}
