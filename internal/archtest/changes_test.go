package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// changesUser matches a statement that changes data of users that instances cache. A statement that sets a column to
// itself only locks the row.
var changesUser = regexp.MustCompile(`(UPDATE users SET |(INSERT INTO|DELETE FROM) (role_members|mutes)\b|DELETE FROM users\b)`)

var locksUser = regexp.MustCompile(`UPDATE users SET (seq = seq|name = name)`)

// silent contains the functions that change users without recording the change, with the reason.
var silent = map[string]string{
	"createArrival":  "nobody knows the user yet",
	"bring":          "nobody knows the users yet",
	"addUsers":       "nobody knows the users yet",
	"BeginDeletion":  "records the deletion",
	"removeUser":     "is a step of a deletion",
	"ChangePassword": "records the sessions that it ends, and no copy of a user has a password",
}

// Instances cache a user until a change is recorded, so a writer that records none leaves the caches stale.
func TestEveryWriterOfUsersRecordsTheChange(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root(t), "store", "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%v, %v", files, err)
	}
	writes, records := map[string]bool{}, map[string]bool{}
	callers := map[string][]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					writes[f.Name.Name] = writes[f.Name.Name] || changesUser.MatchString(n.Value) && !locksUser.MatchString(n.Value)
				case *ast.Ident:
					records[f.Name.Name] = records[f.Name.Name] || n.Name == "noteChange"
					callers[n.Name] = append(callers[n.Name], f.Name.Name)
				}
				return true
			})
		}
	}
	var recorded func(name string, seen []string) bool
	recorded = func(name string, seen []string) bool {
		if records[name] || silent[name] != "" {
			return true
		}
		if slices.Contains(seen, name) {
			return true
		}
		by := callers[name]
		for _, caller := range by {
			if caller != name && !recorded(caller, append(seen, name)) {
				return false
			}
		}
		return len(by) > 0
	}
	for name, does := range writes {
		if does && !recorded(name, nil) {
			t.Errorf("store.%s changes users and records no change: call noteChange in the same transaction, or give the reason here", name)
		}
	}
	for name := range silent {
		if _, found := writes[name]; !found {
			t.Errorf("there is no store.%s with a statement", name)
		}
	}
}
