package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsersAreAddedListedAndChanged(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	ctx := t.Context()
	must(t, c.typing("carol-secret\n").run(ctx, "user", "add", "carol", "--password-stdin", "--audience", "customer", "--role", "picker", "--role", "staff", "--locale", "ja"))
	must(t, c.run(ctx, "user", "add", "anna"))
	must(t, c.run(ctx, "user", "role", "add", "anna", "packer"))
	must(t, c.run(ctx, "user", "role", "remove", "carol", "staff"))
	r := must(t, c.run(ctx, "user", "list"))
	if want := "anna\tuser\tpacker\t\ncarol\tcustomer\tpicker\tja\n"; r.out != want {
		t.Errorf("the list is\n%swant\n%s", r.out, want)
	}
	r = must(t, c.run(ctx, "user", "list", "--json", "--prefix", "c"))
	if want := `{"name":"carol","seq":1,"audience":"customer","roles":["picker"],"locale":"ja"}` + "\n"; r.out != want {
		t.Errorf("as JSON it is\n%swant\n%s", r.out, want)
	}
}

func TestChangesByCommandsAreInTheAuditLog(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	ctx := t.Context()
	must(t, c.run(ctx, "user", "add", "anna", "--role", "picker"))
	must(t, c.typing("anna-secret").run(ctx, "user", "passwd", "anna", "--password-stdin"))
	must(t, c.run(ctx, "user", "role", "add", "anna", "staff"))
	must(t, c.run(ctx, "user", "role", "remove", "anna", "staff"))
	must(t, c.run(ctx, "user", "import", csvFile(t, "name\nbob\n")))
	c.run(ctx, "user", "add", "anna") // rejected: anna already exists
	db, err := sql.Open("sqlite", filepath.Join(c.env["CARILLON_DATA_DIR"], "carillon.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(ctx, `SELECT actor_kind, action, COALESCE(users.name, object_id), detail FROM audit_log
		LEFT JOIN users ON object_kind = 'user' AND object_id = CAST(users.seq AS TEXT) ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got []string
	for rows.Next() {
		var actor, action, object, detail string
		if err := rows.Scan(&actor, &action, &object, &detail); err != nil {
			t.Fatal(err)
		}
		got = append(got, actor+": "+action+" "+filepath.Base(object)+" "+detail)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"command: user.add anna picker", "command: user.passwd anna ", "command: user.role.add anna staff",
		"command: user.role.remove anna staff", "command: user.import users.csv 1 users",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestInvalidUserIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	ctx := t.Context()
	must(t, c.run(ctx, "user", "add", "anna"))
	for _, f := range []struct {
		args   []string
		stdin  string
		status int
		word   string
	}{
		{[]string{"user", "add", "anna"}, "", exitFailed, `there is a user "anna" already`},
		{[]string{"user", "add", "bob", "--audience", "martian"}, "", exitUsage, "customer, operator, user"},
		{[]string{"user", "add", "bob", "--password-stdin"}, "short", exitFailed, "password: Use at least 8 characters."},
		{[]string{"user", "add", "bob", "--password-stdin"}, strings.Repeat("long", 60), exitFailed, "password: Use at most 200 bytes."},
		{[]string{"user", "add", "b\x1bb"}, "", exitFailed, "name: “b\ufffdb” isn't a valid name."},
		{[]string{"user", "add", "b\xffb"}, "", exitUsage, "UTF-8"},
		{[]string{"user", "add", "bob", "--role", "\x01"}, "", exitFailed, "--role: "},
		{[]string{"user", "add", ""}, "", exitFailed, "name"},
		{[]string{"user", "passwd", "nobody", "--password-stdin"}, "long enough", exitFailed, `there is no user "nobody"`},
		{[]string{"user", "passwd", "anna"}, "", exitUsage, "--password-stdin"},
		{[]string{"user", "role", "add", "nobody", "staff"}, "", exitFailed, `there is no user "nobody"`},
		{[]string{"user", "role", "remove", "anna", "nothing"}, "", exitFailed, `there is no user "anna", or no role "nothing"`},
	} {
		r := c.typing(f.stdin).run(ctx, f.args...)
		if r.status != f.status || !strings.Contains(r.errors, f.word) {
			t.Errorf("%q: status %d, want %d with %q: %s", f.args, r.status, f.status, f.word, r.errors)
		}
	}
	if r := must(t, c.run(ctx, "user", "list")); r.out != "anna\tuser\t\t\n" {
		t.Errorf("after all refusals the users are\n%s", r.out)
	}
}

func csvFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnImportAddsAllUsers(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	var text strings.Builder
	text.WriteString("\ufeffname,audience,roles,locale,password_hash\n")
	// The hash contains commas.
	text.WriteString(`anna,customer,picker;staff,ja,"$argon2id$v=19$m=1024,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"` + "\n")
	for i := range 4999 {
		fmt.Fprintf(&text, "\"user, %04d\",,,,\n", i)
	}
	r := must(t, c.run(t.Context(), "user", "import", csvFile(t, text.String())))
	wantWords(t, r.out, "added 5000 users")
	wantWords(t, r.errors, "importing users: 100 %")
	lines := strings.Split(must(t, c.run(t.Context(), "user", "list")).out, "\n")
	if len(lines) != 5001 || lines[0] != "anna\tcustomer\tpicker,staff\tja" || lines[1] != "user, 0000\tuser\t\t" {
		t.Errorf("%d lines: %q…", len(lines), lines[:2])
	}
}

func TestAnImportWithABadLineAddsNobodyAndNamesTheLine(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]struct {
		text  string
		words []string
	}{
		"a repeated name":     {"name\nanna\nbob\nanna\n", []string{"line 4", "anna"}},
		"an existing name":    {"name\nbob\nzoe\n", []string{"line 3", "zoe"}},
		"an unknown audience": {"name,audience\nanna,martian\n", []string{"line 2: audience: ", "martian"}},
		"an unknown language": {"name,locale\nanna,klingonese\n", []string{"line 2: locale: Choose"}},
		"a plain password":    {"name,password_hash\nanna,secret\n", []string{"line 2", "argon2id"}},
		"a missing field":     {"name,locale\nanna,en\nbob\n", []string{"line 3"}},
		"an empty name":       {"name\nanna\n\"\"\n", []string{"line 3", "name"}},
		"an unknown column":   {"name,password\nanna,secret\n", []string{"password", "password_hash"}},
		"no name column":      {"locale\nja\n", []string{"name"}},
		"an empty file":       {"", []string{"columns"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := in(t.TempDir())
			must(t, c.run(t.Context(), "user", "add", "zoe"))
			r := c.run(t.Context(), "user", "import", csvFile(t, f.text))
			if r.status != exitFailed {
				t.Errorf("status %d", r.status)
			}
			wantWords(t, r.errors, f.words...)
			if left := must(t, c.run(t.Context(), "user", "list")).out; left != "zoe\tuser\t\t\n" {
				t.Errorf("after the import the users are\n%s", left)
			}
		})
	}
}
