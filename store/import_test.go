package store_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// file returns a reader of users as in an import file: line 1 is the header, then one user
// per line.
func file(users []notifier.NewUser) func() (notifier.NewUser, int, error) {
	line := 1
	return func() (notifier.NewUser, int, error) {
		line++
		if line-2 == len(users) {
			return notifier.NewUser{}, line, io.EOF
		}
		return users[line-2], line, nil
	}
}

func many(n int) []notifier.NewUser {
	users := make([]notifier.NewUser, n)
	for i := range users {
		users[i] = notifier.NewUser{Name: fmt.Sprintf("user %d", i+1), Audience: 3, Roles: []string{"all", fmt.Sprintf("r%d", i%3)}}
	}
	return users
}

func TestImportAddsEveryUserWithTheirRoles(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "before", "r1")
		users := many(4500)
		users[4321].Locale, users[4321].PasswordHash, users[4321].Audience = "ja", "h", 1
		var heard []int
		n, err := s.ImportUsers(t.Context(), len(users), file(users), func(done int) { heard = append(heard, done) })
		if n != 4500 || err != nil {
			t.Fatalf("imported %d, %v; want 4500", n, err)
		}
		want := []notifier.RoleInfo{{Name: "all", Members: 4500}, {Name: "r0", Members: 1500}, {Name: "r1", Members: 1501}, {Name: "r2", Members: 1500}}
		if diff := cmp.Diff(want, must(s.FindRoles(t.Context(), "", 100))(t)); diff != "" {
			t.Errorf("roles (-want +got):\n%s", diff)
		}
		u, hash, err := s.Credentials(t.Context(), "user 4322")
		if err != nil || hash != "h" {
			t.Errorf("hash = %q, %v; want the imported one", hash, err)
		}
		wantUser := notifier.User{Seq: 4323, Name: "user 4322", Audience: 1, Settings: notifier.Settings{Locale: "ja"}, Roles: []string{"all", "r1"}}
		if diff := cmp.Diff(wantUser, u); diff != "" {
			t.Errorf("user (-want +got):\n%s", diff)
		}
		if len(heard) == 0 || heard[len(heard)-1] != 4500 {
			t.Errorf("progress was %v; want 4500 at the end", heard)
		}
		if n, err := s.ImportUsers(t.Context(), 0, file(nil), nil); n != 0 || err != nil {
			t.Errorf("an empty file: %d, %v", n, err)
		}
	})
}

func TestBadLineIsReportedAndNothingIsImported(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.MaxSeq = 5000
		s := db.open(t)
		addUser(t, s, "here already")
		broken := errors.New("not five fields")
		var invalid *notifier.InvalidError
		for what, c := range map[string]struct {
			spoil func(users []notifier.NewUser)
			line  int
			is    func(error) bool
		}{
			"a name twice in a batch":    {func(u []notifier.NewUser) { u[40].Name = u[30].Name }, 42, func(err error) bool { return errors.Is(err, store.ErrTwice) }},
			"a name twice, far apart":    {func(u []notifier.NewUser) { u[4400].Name = u[3].Name }, 4402, func(err error) bool { return errors.Is(err, store.ErrTwice) }},
			"a name that exists":         {func(u []notifier.NewUser) { u[2999].Name = "here already" }, 3001, func(err error) bool { return errors.Is(err, notifier.ErrConflict) }},
			"a bad audience":             {func(u []notifier.NewUser) { u[0].Audience = 0 }, 2, func(err error) bool { return errors.As(err, &invalid) }},
			"a bad name":                 {func(u []notifier.NewUser) { u[4499].Name = "a\nb" }, 4501, func(err error) bool { return errors.As(err, &invalid) }},
			"a bad locale":               {func(u []notifier.NewUser) { u[9].Locale = "?" }, 11, func(err error) bool { return errors.As(err, &invalid) }},
			"a bad role":                 {func(u []notifier.NewUser) { u[9].Roles = []string{"\x00"} }, 11, func(err error) bool { return errors.As(err, &invalid) }},
			"the first of two bad lines": {func(u []notifier.NewUser) { u[50].Name, u[20].Name = u[1].Name, u[1].Name }, 22, func(err error) bool { return errors.Is(err, store.ErrTwice) }},
		} {
			users := many(4500)
			c.spoil(users)
			n, err := s.ImportUsers(t.Context(), len(users), file(users), nil)
			var at *store.ImportError
			if !errors.As(err, &at) || at.Line != c.line || !c.is(err) || n != 0 {
				t.Errorf("%s: %d, %v; want line %d", what, n, err, c.line)
			}
		}
		read := 0
		_, err := s.ImportUsers(t.Context(), 9, func() (notifier.NewUser, int, error) {
			if read++; read == 3 {
				return notifier.NewUser{}, 17, broken
			}
			return many(read)[read-1], read, nil
		}, nil)
		if err == nil || !errors.Is(err, broken) || !strings.Contains(err.Error(), "line 17") {
			t.Errorf("an unreadable line: %v; want line 17", err)
		}
		_, err = s.ImportUsers(t.Context(), 6000, file(many(6000)), nil)
		var at *store.ImportError
		if !errors.As(err, &at) || at.Line != 5001 || !errors.Is(err, notifier.ErrFull) {
			t.Errorf("more users than numbers: %v; want line 5001", err)
		}
		if roles := must(s.FindRoles(t.Context(), "", 100))(t); len(roles) != 0 {
			t.Errorf("roles %v were left behind", roles)
		}
		if u := addUser(t, s, "next"); u.Seq != 2 {
			t.Errorf("the next user has number %d; want 2", u.Seq)
		}
	})
}

func TestCanceledImportLeavesNothing(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ctx, cancel := contextOf(t)
		_, err := s.ImportUsers(ctx, 9000, file(many(9000)), func(int) { cancel() })
		if err == nil {
			t.Fatal("the import continued")
		}
		if u := addUser(t, s, "user 1"); u.Seq != 1 {
			t.Errorf("the next user has number %d; want 1", u.Seq)
		}
	})
}

func TestServerCanReadDuringAnImport(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		server, importer := db.open(t), db.open(t)
		addUser(t, server, "alice")
		_, err := importer.ImportUsers(t.Context(), 4500, file(many(4500)), func(done int) {
			if _, err := server.UserByName(t.Context(), "alice"); err != nil {
				t.Errorf("after %d users: %v", done, err)
			}
			if _, err := server.UserByName(t.Context(), "user 1"); done > 0 && !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("a partial import is visible: %v", err)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkImport(b *testing.B) {
	users := many(100_000)
	for name, cfg := range map[string]store.Config{"sqlite": {DataDir: b.TempDir()}, "postgres": {URL: postgresURL(b)}} {
		b.Run(name, func(b *testing.B) {
			s, err := store.Open(b.Context(), cfg)
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			for round := 0; b.Loop(); round++ {
				for i := range users {
					users[i].Name = fmt.Sprintf("%s user %d of round %d", name, i, round)
				}
				if _, err := s.ImportUsers(b.Context(), len(users), file(users), nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
