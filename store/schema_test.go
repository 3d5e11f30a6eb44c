package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// newer makes the database look as if Carillon 9.9.9 had migrated it; only programs that contain the migration needs
// may run on it.
func newer(t *testing.T, raw *sql.DB, needs int64, also ...string) {
	t.Helper()
	statements := append([]string{
		`INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, TRUE)`,
		fmt.Sprintf(`UPDATE schema_version SET version = 99999, oldest = %d, program = '9.9.9'`, needs),
	}, also...)
	for _, statement := range statements {
		if _, err := raw.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func wantUnfit(t *testing.T, err error, words ...string) {
	t.Helper()
	unfit := (*notifier.UnfitError)(nil)
	if !errors.As(err, &unfit) || !errors.Is(err, notifier.ErrUnavailable) {
		t.Fatalf("error %v; want an UnfitError that is an ErrUnavailable", err)
	}
	for _, word := range words {
		if !strings.Contains(unfit.Error(), word) {
			t.Errorf("%q does not have %q", unfit, word)
		}
	}
}

// A program that is too old does not open the database; a running one is no longer ready.
func TestAProgramThatIsTooOldForTheSchemaRefusesIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.cfg.Program = "1.2.3"
		s := db.open(t)
		if err := s.Ping(t.Context()); err != nil {
			t.Fatal(err)
		}
		newer(t, db.raw(t), 99998)
		wantUnfit(t, s.Ping(t.Context()), "Carillon 1.2.3", "Carillon 9.9.9", "schema 99999", "99998", "install Carillon 9.9.9 or newer")
		_, err := store.Open(t.Context(), db.cfg)
		wantUnfit(t, err, "Carillon 1.2.3", "Carillon 9.9.9")
	})
}

// A newer schema on which this program may run is accepted and not changed, and its row stays.
func TestASchemaThatIsOnlyNewerIsUsedAsItIs(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		db.open(t)
		raw := db.raw(t)
		newer(t, raw, 42, `ALTER TABLE notices ADD COLUMN of_the_future TEXT NOT NULL DEFAULT ''`)
		s := db.open(t)
		if applied, err := s.Migrate(t.Context()); applied != 0 || err != nil {
			t.Errorf("it applied %d, %v", applied, err)
		}
		addUser(t, s, "anna")
		if err := s.Ping(t.Context()); err != nil {
			t.Error(err)
		}
		var program string
		if err := raw.QueryRowContext(t.Context(), `SELECT program FROM schema_version`).Scan(&program); err != nil || program != "9.9.9" {
			t.Errorf("the schema is of %q, %v", program, err)
		}
	})
}

// While a program runs, its database may be replaced by an older one.
func TestAProgramThatIsTooNewForTheSchemaIsNotReady(t *testing.T) {
	for name, statement := range map[string]string{
		"a dump":                  `UPDATE schema_version SET version = 43`,
		"one from before a table": `DROP TABLE schema_version`,
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, db *database) {
				s := db.open(t)
				if _, err := db.raw(t).ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
				wantUnfit(t, s.Ping(t.Context()), "carillon migrate")
			})
		})
	}
}

// A mismatch of the schema is a fault of the server: no sender is rejected for it, and no notice becomes a dead
// letter.
func TestAFaultOfTheSchemaIsNotTheSenders(t *testing.T) {
	for name, statement := range map[string]string{
		"a column is missing":    `ALTER TABLE users RENAME COLUMN audience TO platform`,
		"a table is missing":     `ALTER TABLE users RENAME TO people`,
		"a column asks for more": `ALTER TABLE users RENAME COLUMN locale TO tongue`,
	} {
		t.Run(name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, db *database) {
				s := db.open(t)
				if _, err := db.raw(t).ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
				if _, err := s.CreateUser(t.Context(), notifier.NewUser{Name: "anna", PasswordHash: "h", Audience: 3}); !errors.Is(err, notifier.ErrUnavailable) {
					t.Errorf("a user was added: %v", err)
				}
			})
		})
	}
}

// additiveFrom is the first migration that must not break programs of the previous release.
const additiveFrom = 43

// Programs of the previous release run next to this one, so a migration may only add. A migration that removes
// something unused, one release later, contains `-- not additive: ` and the reason why no such program breaks.
func TestNewMigrationsAreAdditive(t *testing.T) {
	t.Parallel()
	for _, file := range must(filepath.Glob("migrations/*/*.sql"))(t) {
		number, _ := strconv.Atoi(filepath.Base(file)[:5])
		if number < additiveFrom {
			continue
		}
		for _, fault := range notAdditive(string(must(os.ReadFile(file))(t))) {
			t.Errorf("%s: %s", file, fault)
		}
	}
}

var (
	comment  = regexp.MustCompile(`--[^\n]*`)
	taking   = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN|VIEW)|RENAME|ALTER\s+COLUMN|SET\s+NOT\s+NULL|ADD\s+CONSTRAINT|CREATE\s+UNIQUE|CREATE\s+TRIGGER)\b`)
	addition = regexp.MustCompile(`(?is)\bADD\s+(COLUMN\s+)?[^;]*`)
)

// notAdditive returns the statements that would break a program without this migration.
func notAdditive(migration string) (faults []string) {
	if strings.Contains(migration, "-- not additive: ") {
		return nil
	}
	migration = comment.ReplaceAllString(migration, "")
	for _, found := range taking.FindAllString(migration, -1) {
		faults = append(faults, found+" breaks the programs of the release before")
	}
	for _, found := range addition.FindAllString(migration, -1) {
		if upper := strings.ToUpper(found); strings.Contains(upper, "NOT NULL") && !strings.Contains(upper, "DEFAULT") {
			faults = append(faults, "a column that must be set needs a default: "+found)
		}
	}
	return faults
}

func TestEveryKindOfBreakingMigrationIsFound(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{
		"DROP TABLE a;", "alter table a drop column b;", "ALTER TABLE a RENAME TO b;", "ALTER TABLE a ADD COLUMN b TEXT NOT NULL;",
		"ALTER TABLE a ALTER COLUMN b SET NOT NULL;", "CREATE UNIQUE INDEX i ON a (b);", "ALTER TABLE a ADD CONSTRAINT c CHECK (b > 0);",
	} {
		if len(notAdditive(bad)) == 0 {
			t.Errorf("%q passes", bad)
		}
	}
	for _, good := range []string{
		"CREATE TABLE a (b TEXT NOT NULL);", "ALTER TABLE a ADD COLUMN b TEXT NOT NULL DEFAULT '';", "ALTER TABLE a ADD COLUMN b TEXT;",
		"-- we DROP TABLE nothing\nCREATE INDEX i ON a (b);", "-- not additive: no release wrote it\nDROP TABLE a;",
	} {
		if faults := notAdditive(good); len(faults) > 0 {
			t.Errorf("%q: %v", good, faults)
		}
	}
}
