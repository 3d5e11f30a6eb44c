package topic

import (
	"embed"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

//go:embed *.lua
var sources embed.FS

var (
	scripts = script.Must(script.Read(sources))

	editSubscribers    = scripts.Get("edit_subscribers")
	claimSubscribers   = scripts.Get("claim_subscribers")
	replaceSubscribers = scripts.Get("replace_subscribers")
	moveRevision       = scripts.Get("move_revision")
)

// Replies of the scripts that mean nothing was done.
const (
	codeLost  = -1 // the set is missing or incomplete
	codeLater = -2 // the set is newer
	codeTorn  = -3 // the draft is incomplete
)

// keepVersions is how long a set's version outlives the set, in seconds: longer than any change of
// the set can be in progress.
const keepVersions = 3600

// anyRevision makes move_revision move from any revision.
const anyRevision = "*"

// code reads the reply of a script.
func code(cmd *redis.Cmd) (int64, error) {
	r, err := script.ParseReply(cmd)
	return r.Code, err
}
