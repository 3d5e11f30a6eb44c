package archtest

import (
	"slices"
	"strings"
	"testing"
)

// words and stages name packages that several rules allow.
var (
	words  = []string{"notifier", "notifier/keys"}
	stages = []string{
		"notifier/announcement", "notifier/inbox", "notifier/route", "notifier/live", "notifier/inbox/behind",
		"notifier/delivery", "notifier/guard", "notifier/topic", "notifier/rule", "notifier/outbox", "notifier/toast",
	}
)

// rules maps each package to the packages of this module that it may import; `*` allows all. A package without a rule
// fails the test, so that a new package gets its place first.
var rules = map[string][]string{
	"cmd/carillon": {
		"notifier", "notifier/app", "notifier/ask", "notifier/hook", "notifier/person", "notifier/notices", "notifier/rule", "api", "snippets", "store", "views/locale",
		"notifier/outbox", "internal/source",
		"internal/agent", "internal/backup", "internal/config", "internal/demo", "internal/doctor", "internal/instance", "internal/session", "internal/trouble", "internal/usercsv",
	},
	"bench":    {"*"},
	"e2e":      {"*"},
	"examples": {}, // programs that run next to Carillon

	"clients/go":             {}, // a module of its own, for applications
	"clients/go/conformance": {"clients/go"},

	"scripts/clienttypes": {"api"},
	"scripts/homeicons":   {},
	"scripts/licences":    {},
	"scripts/release":     {},

	"api":              {"internal/identity", "internal/web", "notifier", "notifier/announcement", "notifier/app", "notifier/ask", "notifier/hook", "notifier/inbox", "notifier/notices", "notifier/person", "notifier/reception", "notifier/task", "notifier/topic", "store", "views", "views/locale", "views/markdown", "static"},
	"handlers":         {"internal/identity", "internal/links", "internal/mail", "internal/session", "internal/usercsv", "internal/web", "notifier", "notifier/app", "notifier/hook", "notifier/person", "notifier/reception", "notifier/rule", "notifier/topic", "snippets", "store", "views", "views/components", "views/locale", "views/markdown", "static"},
	"views":            {"internal/web", "notifier", "views/components", "views/locale"},
	"views/components": {"internal/web"},
	"views/locale":     {"notifier"},
	"views/markdown":   {"notifier"},
	"views/mail":       {"internal/links", "internal/mail", "notifier", "views/locale"},
	"static":           {},
	"snippets":         {},
	"snippets/go":      {}, // code that applications copy

	"notifier":              {},
	"notifier/keys":         {"notifier"},
	"notifier/inbox":        append([]string{"internal/script"}, words...),
	"notifier/announcement": append([]string{"internal/script", "internal/lease", "internal/batch"}, words...),
	"notifier/route":        append([]string{"internal/batch"}, words...),
	"notifier/live":         append([]string{"internal/script"}, words...),
	"notifier/inbox/behind": append([]string{"internal/lease"}, words...),
	"notifier/delivery":     append([]string{"internal/script", "internal/lease", "internal/tracing"}, words...),
	"notifier/guard":        append([]string{"internal/script", "internal/lease", "internal/trouble"}, words...),
	"notifier/topic":        append([]string{"internal/script", "internal/lease"}, words...),
	"notifier/ask":          append([]string{"internal/lease"}, words...),
	"notifier/task":         append([]string{"internal/lease", "store"}, words...),
	"notifier/reception":    {"notifier", "notifier/channels", "notifier/topic", "store"},
	"notifier/toast":        append([]string{"internal/script", "internal/lease"}, words...),
	"notifier/rule":         append([]string{"internal/source", "internal/script", "internal/lease"}, words...),
	"notifier/hook":         {"internal/lease", "internal/outbound", "notifier", "notifier/app", "store"},
	"notifier/outbox":       append([]string{"internal/source"}, words...),
	"notifier/app":          {"internal/outbound", "internal/session", "notifier", "store"},
	"notifier/person":       {"internal/lease", "internal/session", "notifier", "notifier/announcement", "notifier/channels", "notifier/live", "notifier/toast", "notifier/topic", "store"},
	"notifier/push":         {"internal/pushtest", "notifier"},
	"notifier/channels":     append([]string{"internal/lease"}, words...),
	"notifier/notices":      append(append([]string{"internal/script", "internal/lease", "internal/tracing"}, words...), stages...),

	"store":              {"internal/batch", "internal/source", "internal/trouble", "notifier"},
	"internal/config":    {"internal/address", "internal/mail", "internal/tracing", "internal/trouble", "notifier", "notifier/push"},
	"internal/backup":    {"internal/config", "internal/embedded", "store"},
	"internal/agent":     {},
	"internal/demo":      {"internal/config", "notifier", "store"},
	"internal/demo/shop": {"notifier"},
	"internal/doctor":    {"internal/config", "internal/identity", "internal/mail", "internal/outbound", "internal/trouble", "notifier", "notifier/app", "notifier/delivery", "notifier/keys", "store"},
	"internal/session":   append([]string{"internal/batch", "internal/script", "internal/lease", "internal/web", "store"}, words...),
	"internal/script":    append([]string{"internal/batch", "internal/trouble"}, words[0]),
	"internal/instance":  {"*"},
	"internal/identity":  {"internal/session", "internal/web", "notifier", "notifier/app", "notifier/person", "store"},
	"internal/idptest":   {},
	"internal/lease":     append([]string{"internal/script"}, words...),
	"internal/batch":     {},
	"internal/links":     {},
	"internal/mail":      {"notifier"},
	"internal/mailtest":  {},
	"internal/usercsv":   {"notifier"},
	"internal/address":   {},
	"internal/outbound":  {},
	"internal/pushtest":  {"notifier/push"},
	"internal/tracing":   {},
	"internal/trouble":   {},
	"internal/web":       {"notifier"},
	"internal/embedded":  {},
	"internal/redistest": {"internal/testkit", "notifier/keys"},
	"internal/source":    {"internal/address"},
	"internal/sqltest":   {"internal/testkit"},
	"internal/testkit":   {},
	"internal/faulty":    {},
	"internal/archtest":  {"internal/script"},
}

// only maps packages of other modules to the packages that may import them.
var only = map[string][]string{
	"github.com/r3labs/sse":                      {"notifier/live", "bench"},
	"github.com/modelcontextprotocol/go-sdk/mcp": {"internal/agent", "e2e"},
	"database/sql":                               {"store", "internal/doctor", "internal/source", "internal/sqltest", "notifier/outbox", "notifier/rule", "examples", "bench"},
	"github.com/jackc/pgx":                       {"store", "internal/source", "internal/sqltest", "internal/trouble"},
	"github.com/go-sql-driver/mysql":             {"internal/source", "internal/sqltest"},
	"modernc.org/sqlite":                         {"store", "internal/source", "internal/trouble", "examples", "bench"},
	"github.com/danielgtaylor/huma":              {"api"},
	"github.com/go-co-op/gocron":                 {"notifier/rule"},
	"github.com/pressly/goose":                   {"store"},
	"github.com/gorilla":                         {"internal/session", "internal/identity", "handlers"},
	"github.com/alicebob":                        {"internal/embedded", "internal/redistest"},
	"github.com/coreos/go-oidc":                  {"internal/identity"},
	"github.com/coreos/go-systemd":               {"internal/instance"},
	"go.opentelemetry.io/otel":                   {"internal/tracing"},
	"golang.org/x/oauth2":                        {"internal/identity"},
	"github.com/wneessen/go-mail":                {"internal/mail"},
	"github.com/emersion/go-smtp":                {"internal/mailtest"},
}

// Packages that serve requests never import databases; packages without I/O never import network packages.
var (
	databases = []string{"github.com/redis/go-redis", "database/sql"}
	network   = append([]string{"net/http"}, databases...)
)

// never maps packages to imports that are forbidden for any purpose.
var never = map[string][]string{
	"handlers":         databases,
	"api":              databases,
	"views":            network,
	"views/components": network,
	"views/locale":     network,
	"views/markdown":   network,
	"views/mail":       network,
	"notifier":         append([]string{"os"}, network...),
}

func TestEveryPackageImportsOnlyPackagesThatItsRuleAllows(t *testing.T) {
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

func TestWrappedLibrariesAreImportedOnlyByTheirWrappers(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		for _, imported := range s.imports {
			for outside, owners := range only {
				if within(imported, outside) && !slices.Contains(owners, family(s.pkg)) {
					t.Errorf("%s imports %s, which only these may import: %s", s.path, imported, strings.Join(owners, ", "))
				}
			}
			for _, outside := range never[s.pkg] {
				if within(imported, outside) {
					t.Errorf("%s imports %s: package %s must not", s.path, imported, s.pkg)
				}
			}
		}
	}
}

func TestEveryPackageHasAPackageComment(t *testing.T) {
	t.Parallel()
	documented := map[string]bool{}
	for _, s := range sources(t) {
		documented[s.pkg] = documented[s.pkg] || s.doc
	}
	for pkg, ok := range documented {
		if !ok {
			t.Errorf("package %s has no package comment", pkg)
		}
	}
}

// family returns the package whose rule applies: packages below bench, e2e and examples share one.
func family(pkg string) string {
	for _, tree := range []string{"bench", "e2e", "examples"} {
		if within(pkg, tree) {
			return tree
		}
	}
	return pkg
}

// within reports whether a package is tree or lies below it, as major versions such as
// go-redis/v9 do.
func within(pkg, tree string) bool {
	return pkg == tree || strings.HasPrefix(pkg, tree+"/")
}
