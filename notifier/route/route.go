// Package route resolves the target of a notice to its recipients: the users that it names or who
// subscribe to it, except users who have muted its type. Each of them gets the notice once, for one
// reason.
package route

import (
	"context"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/internal/batch"
	"github.com/carillonhq/carillon/notifier"
)

// shown is the maximum number of unknown names that an error lists; it counts the rest.
const shown = 10

// Directory finds users and roles by name, and the users who have muted a type.
type Directory interface {
	// Addressees returns the seq of each known name, and which of these users have muted a type. An
	// empty type cannot be muted.
	Addressees(ctx context.Context, typ string, names []string) (seqs map[string]int64, muted *roaring.Bitmap, err error)
	// RoleMembers returns the seqs of a role's members: an empty bitmap for a role without members,
	// notifier.ErrNotFound for an unknown role.
	RoleMembers(ctx context.Context, role string) (*roaring.Bitmap, error)
	// MutedBy returns the users of `among` who have muted a type.
	MutedBy(ctx context.Context, typ string, among *roaring.Bitmap) (*roaring.Bitmap, error)
}

// Router resolves the recipients of notices.
type Router struct {
	dir       Directory
	topics    Topics
	questions *batch.Queue[*question]
}

// New returns a router that uses dir. With nil topics, no topic has subscribers and every type can be
// muted.
func New(dir Directory, topics Topics) *Router {
	r := &Router{dir: dir, topics: topics}
	r.questions = batch.New(batch.Options[*question]{
		Call: r.askTogether, Limit: askWait, Most: maxTogether,
		Weigh: func(q *question) int { return len(q.drafts) },
	})
	return r
}

func invalid(code string, params map[string]any) error {
	var bad notifier.InvalidError
	bad.Add("to", code, params)
	return &bad
}

func unknownUsers(names []string) error {
	some := strings.Join(names[:min(len(names), shown)], ", ")
	return invalid(notifier.CodeUnknownUsers, map[string]any{"Names": some, "Count": len(names)})
}
