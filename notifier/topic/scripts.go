package topic

import (
	_ "embed"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

var (
	//go:embed edit_subscribers.lua
	editSource string
	//go:embed claim_subscribers.lua
	claimSource string
	//go:embed replace_subscribers.lua
	replaceSource string
	//go:embed move_revision.lua
	moveSource string
)

var (
	editSubscribers    = script.New("edit_subscribers", editSource)
	claimSubscribers   = script.New("claim_subscribers", claimSource)
	replaceSubscribers = script.New("replace_subscribers", replaceSource)
	moveRevision       = script.New("move_revision", moveSource)
)

// What the scripts answer when they did not do it.
const (
	codeLost  = -1 // the set is not there, or not whole
	codeLater = -2 // the set is newer
	codeTorn  = -3 // the draft is not whole
)

// keepVersions is how long the version of a set outlives it (s): longer than any
// change of it can be on its way.
const keepVersions = 3600

// anyRevision lets move_revision move from wherever it is.
const anyRevision = "*"

// code reads what a script answered.
func code(cmd *redis.Cmd) (int64, error) {
	n, err := cmd.Int64()
	if err != nil {
		return 0, away(err)
	}
	return n, nil
}

// away marks an error that means that Redis cannot be reached.
func away(err error) error {
	if script.Away(err) {
		return fmt.Errorf("%w: %w", notifier.ErrUnavailable, err)
	}
	return err
}
