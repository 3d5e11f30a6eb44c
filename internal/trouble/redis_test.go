package trouble_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/trouble"
)

type answered string

func (a answered) Error() string { return string(a) }

func (answered) RedisError() {}

// The words are those of Redis 7.0, of 7.2 and later, and of Valkey.
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
