package archtest

import (
	"slices"
	"strings"
	"testing"
)

// words and stages are what several packages may import.
var (
	words  = []string{"notifier", "notifier/keys"}
	stages = []string{
		"notifier/announcement", "notifier/inbox", "notifier/route", "notifier/live", "notifier/sweep", "notifier/unread",
		"notifier/intake", "notifier/epoch", "notifier/topic", "notifier/rule", "notifier/toast",
	}
)

// rules says for each package which of our own it may import; `*` is any. A
// package without a rule fails the test: whoever adds one decides its place.
var rules = map[string][]string{
	"cmd/carillon": {"*"},
	"bench":        {"*"},
	"e2e":          {"*"},
	"examples":     {}, // they are programs beside Carillon

	"api":              {"notifier", "views", "views/locale", "static"},
	"handlers":         {"notifier", "views", "views/components", "views/locale", "views/markdown", "static"},
	"views":            {"notifier", "views/components", "views/locale"},
	"views/components": {},
	"views/locale":     {"notifier"},
	"views/markdown":   {"notifier"},
	"static":           {},

	"notifier":              {},
	"notifier/keys":         {"notifier"},
	"notifier/inbox":        append([]string{"internal/script", "internal/turns"}, words...),
	"notifier/announcement": append([]string{"internal/script", "internal/turns"}, words...),
	"notifier/route":        append([]string{"internal/script"}, words...),
	"notifier/live":         append([]string{"internal/script"}, words...),
	"notifier/sweep":        append([]string{"internal/script"}, words...),
	"notifier/unread":       append([]string{"internal/script"}, words...),
	"notifier/intake":       append([]string{"internal/script"}, words...),
	"notifier/epoch":        append([]string{"internal/script"}, words...),
	"notifier/topic":        append([]string{"internal/script"}, words...),
	"notifier/toast":        append([]string{"internal/script"}, words...),
	"notifier/rule":         append([]string{"internal/script"}, words...),
	"notifier/pipeline":     append(append([]string{"internal/script"}, words...), stages...),

	"store":              {"notifier"},
	"internal/session":   append([]string{"internal/script"}, words...),
	"internal/script":    {},
	"internal/turns":     {},
	"internal/embedded":  {},
	"internal/redistest": {"notifier/keys"},
	"internal/sqltest":   {},
	"internal/faulty":    {},
	"internal/archtest":  {"internal/script"},
}

// only says for packages from elsewhere who alone may import them.
var only = map[string][]string{
	"github.com/r3labs/sse":         {"notifier/live", "bench"},
	"database/sql":                  {"store", "cmd/carillon", "internal/sqltest", "notifier/rule", "examples"},
	"github.com/jackc/pgx":          {"store", "cmd/carillon", "internal/sqltest", "notifier/rule"},
	"modernc.org/sqlite":            {"store", "notifier/rule", "examples"},
	"github.com/danielgtaylor/huma": {"api"},
	"github.com/go-co-op/gocron":    {"notifier/rule"},
	"github.com/pressly/goose":      {"store"},
	"github.com/gorilla":            {"internal/session", "handlers"},
	"github.com/alicebob":           {"internal/embedded", "internal/redistest"},
}

// never says what a package must not import, whatever it is for.
var never = map[string][]string{
	"handlers": {"github.com/redis/go-redis", "database/sql"},
	"api":      {"github.com/redis/go-redis", "database/sql"},
	"views":    {"github.com/redis/go-redis", "database/sql", "net/http"},
	"notifier": {"github.com/redis/go-redis", "database/sql", "net/http", "os"},
}

func TestEveryPackageImportsOnlyWhatItsPlaceAllows(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.pkg == "." {
			continue
		}
		allowed, known := rules[family(s.pkg)]
		if !known {
			t.Errorf("%s: package %s has no rule in imports_test.go", s.path, s.pkg)
			continue
		}
		for _, imported := range s.imports {
			own, isOwn := strings.CutPrefix(imported, module+"/")
			if isOwn && !within(family(own), family(s.pkg)) && !slices.Contains(allowed, "*") && !slices.Contains(allowed, own) {
				t.Errorf("%s imports %s: the import rule does not allow it", s.path, own)
			}
		}
	}
}

func TestWhatIsWrappedIsImportedByItsWrapperAlone(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for outside, owners := range only {
				if within(imported, outside) && !slices.Contains(owners, family(s.pkg)) {
					t.Errorf("%s imports %s: only %s may", s.path, imported, strings.Join(owners, ", "))
				}
			}
			for _, outside := range never[s.pkg] {
				if within(imported, outside) {
					t.Errorf("%s imports %s: %s never does", s.path, imported, s.pkg)
				}
			}
		}
	}
}

func TestEveryPackageSaysWhatItIs(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, s := range sources(t) {
		said[s.pkg] = said[s.pkg] || s.doc
	}
	for pkg, ok := range said {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// family is the package that has the rule: those below bench, e2e and examples are theirs.
func family(pkg string) string {
	for _, tree := range []string{"bench", "e2e", "examples"} {
		if within(pkg, tree) {
			return tree
		}
	}
	return pkg
}

// within says whether a package is another or lies below it. Major versions,
// such as go-redis/v9, lie below.
func within(pkg, tree string) bool {
	return pkg == tree || strings.HasPrefix(pkg, tree+"/")
}
