package trouble_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/carillonhq/carillon/internal/trouble"
)

type answered string

func (a answered) Error() string { return string(a) }

func (answered) RedisError() {}

// The texts come from Redis 7.0, Redis 7.2 and later, and Valkey.
func TestARightThatIsLackingIsNamedInTheWordsOfEveryVersion(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"NOPERM this user has no permissions to run the 'zadd' command":                                                        "its user may not run ZADD",
		"NOPERM User shop has no permissions to run the 'script|load' command":                                                 "its user may not run SCRIPT LOAD",
		"NOPERM this user has no permissions to access one of the keys used as arguments":                                      "its user may not use Carillon's keys",
		"NOPERM No permissions to access a key":                                                                                "its user may not use Carillon's keys",
		"NOPERM No permissions to access a channel":                                                                            "its user may not use Carillon's channels",
		"ERR ACL failure in script: User shop has no permissions to run the 'publish' command script: e19, on @user_script:3.": "its user may not run PUBLISH",
		"ERR ACL failure in script: No permissions to access a channel script: e19, on @user_script:3.":                        "its user may not use Carillon's channels",
		"ERR The user executing the script can't run this command or subcommand script: e19, on @user_script:3.":               "its user may not run a command of a script",
		"ERR The user executing the script can't access at least one of the keys mentioned in the command arguments":           "its user may not use Carillon's keys",
		"ERR The user executing the script can't publish to the channel mentioned in the command":                              "its user may not use Carillon's channels",
	} {
		why := trouble.OfRedis(fmt.Errorf("deliver: %w", answered(said)))
		if why.Found != want || why.Kind != trouble.Rights || !strings.Contains(why.Cure, `"A user of Redis"`) {
			t.Errorf("%q: %+v, want %q", said, why, want)
		}
	}
}

// pgx joins the errors of its attempts, and store adds the error that callers see.
func TestAnErrorIsExplainedByItsCauseAndCureFirst(t *testing.T) {
	t.Parallel()
	attempts := errors.Join(errors.New("127.0.0.1:5432: tls error: server refused TLS connection"), fmt.Errorf("127.0.0.1:5432: failed SASL auth: %w",
		&pgconn.PgError{Severity: "FATAL", Code: "28P01", Message: `password authentication failed for user "app"`}))
	err := fmt.Errorf("open the database: %w: %w", errors.New("temporarily unavailable"), trouble.Mark(trouble.SQL, fmt.Errorf("failed to connect:\n\t%w", attempts)))
	source, why := trouble.Of(err)
	const want = "sql: it refuses the user or the password: correct the user and the password in --database-url, or in --database-password-file\n" +
		"  open the database: temporarily unavailable: failed to connect: 127.0.0.1:5432: tls error: server refused TLS connection " +
		`127.0.0.1:5432: failed SASL auth: FATAL: password authentication failed for user "app" (SQLSTATE 28P01)`
	if got := trouble.Explain(source, why, err); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := trouble.Detail(err); got != `FATAL: password authentication failed for user "app" (SQLSTATE 28P01)` {
		t.Errorf("the detail is %q", got)
	}
	other := errors.New("there is a user already")
	if source, why := trouble.Of(other); trouble.Explain(source, why, other) != other.Error() {
		t.Error("an error without a known cause does not stay as it is")
	}
}

func TestAnErrorOfTheCommandItselfIsNoTrouble(t *testing.T) {
	t.Parallel()
	for _, err := range []error{
		nil, answered("WRONGTYPE Operation against a key holding the wrong kind of value"), answered("ERR syntax error"),
		answered("NOSCRIPT No matching script. Please use EVAL."), errors.New("title: too long"),
	} {
		if why := trouble.OfRedis(err); why != (trouble.Trouble{}) {
			t.Errorf("%v: %+v", err, why)
		}
	}
}
