package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// A notice is accepted between two steps of the copy. The copy must not contain it, and must not start again.
func TestABackupIsTheDatabaseAsOfOneInstant(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := (&database{cfg: store.Config{DataDir: dir}}).open(t)
	const before = 1300 // with bodies of 4,000 characters, more pages than one step copies
	large := draft()
	large.Body = strings.Repeat("x", notifier.MaxBody)
	var wg sync.WaitGroup
	for range before {
		wg.Go(func() { accept(t, s, large) })
	}
	wg.Wait()
	file := filepath.Join(t.TempDir(), "backup")
	steps, last := 0, 0
	err := store.Backup(t.Context(), dir, file, map[string]string{"name": "content"}, func(done, total int) {
		if steps++; done <= last || done > total {
			t.Errorf("step %d: %d of %d pages after %d", steps, done, total, last)
		}
		if last = done; steps <= 2 {
			accept(t, s, large)
		}
	})
	if err != nil || steps < 2 {
		t.Fatalf("%d steps, %v", steps, err)
	}
	if info := must(os.Stat(file))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %v", info.Mode())
	}
	target := t.TempDir()
	r := must(store.PrepareRestore(t.Context(), file, target, func(int, int) {}))(t)
	if r.Notices != before || r.Kept["name"] != "content" || len(r.Kept) != 1 {
		t.Errorf("restored %d notices of %d, and %v", r.Notices, before, r.Kept)
	}
	if err := r.Commit(t.Context(), func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	again := (&database{cfg: store.Config{DataDir: target}}).open(t)
	if got := must(again.Notices(t.Context(), notifier.NoticeQuery{Limit: 2000}))(t); len(got) != before {
		t.Errorf("%d notices; want %d", len(got), before)
	}
	left := must(filepath.Glob(filepath.Join(target, "*restoring*")))(t)
	if left = append(left, must(filepath.Glob(file+"?*"))(t)...); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	if err := store.Backup(t.Context(), dir, file, nil, func(int, int) {}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another backup: %v", err)
	}
}

// A file that is not a complete backup, or comes from a newer Carillon, changes nothing.
func TestOnlyAWholeBackupIsRestored(t *testing.T) {
	t.Parallel()
	dir, target := t.TempDir(), t.TempDir()
	s := (&database{cfg: store.Config{DataDir: dir}}).open(t)
	addUser(t, s, "anna")
	good := filepath.Join(t.TempDir(), "good")
	if err := store.Backup(t.Context(), dir, good, nil, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	text := must(os.ReadFile(good))(t)
	broken := bytes.Clone(text)
	copy(broken[4096*5:], bytes.Repeat([]byte{0xff}, 4096*3))
	for name, test := range map[string]struct {
		file []byte
		want string
	}{
		"a text":       {[]byte(strings.Repeat("no database\n", 100)), "not a Carillon backup"},
		"half a file":  {text[:len(text)/2], "damaged"},
		"broken pages": {broken, "damaged"},
		"empty":        {nil, "not a Carillon backup"},
	} {
		file := filepath.Join(t.TempDir(), "backup")
		if err := os.WriteFile(file, test.file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := store.PrepareRestore(t.Context(), file, target, func(int, int) {}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	newer := (&database{cfg: store.Config{DataDir: dir}}).raw(t)
	if _, err := newer.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, 1)`); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "newer")
	if err := store.Backup(t.Context(), dir, file, nil, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.PrepareRestore(t.Context(), file, target, func(int, int) {}); err == nil || !strings.Contains(err.Error(), "newer Carillon (migration 99999;") {
		t.Errorf("of a newer Carillon: %v", err)
	}
	if left := must(os.ReadDir(target))(t); len(left) > 0 {
		t.Errorf("it left %v", left)
	}
}

func TestADatabaseThatIsOpenIsNotReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := must(store.Open(t.Context(), store.Config{DataDir: dir}))(t)
	file := filepath.Join(t.TempDir(), "backup")
	if err := store.Backup(t.Context(), dir, file, nil, func(int, int) {}); err != nil {
		t.Fatal(err)
	}
	r := must(store.PrepareRestore(t.Context(), file, dir, func(int, int) {}))(t)
	err := r.Commit(t.Context(), func() error { return errors.New("it went on") })
	if !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("while a server has it open: %v", err)
	}
	addUser(t, s, "anna") // the server continues
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func() error{
		"closed": func() error { return nil },
		"damaged": func() error {
			return os.WriteFile(filepath.Join(dir, "carillon.db"), bytes.Repeat([]byte("rust"), 5000), 0o600)
		},
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		r := must(store.PrepareRestore(t.Context(), file, dir, func(int, int) {}))(t)
		if err := r.Commit(t.Context(), func() error { return nil }); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if blank, err := store.Blank(t.Context(), dir); !blank || err != nil {
		t.Errorf("after the restore it is blank: %t, %v", blank, err)
	}
}

func TestADatabaseIsBlankWithoutUsersAndNotices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := func(when string, want bool) {
		if blank, err := store.Blank(t.Context(), dir); blank != want || err != nil {
			t.Errorf("%s: %t, %v", when, blank, err)
		}
	}
	want("without a file", true)
	s := (&database{cfg: store.Config{DataDir: dir}}).open(t)
	want("migrated", true)
	addUser(t, s, "anna")
	want("with a user", false)
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "carillon.db"), []byte(fmt.Sprint("rust", strings.Repeat("t", 5000))), 0o600); err != nil {
		t.Fatal(err)
	}
	want("damaged", false)
}
