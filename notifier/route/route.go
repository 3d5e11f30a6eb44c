// Package route turns the target of a notice into the users who get it: those
// it names or who subscribe to it, but for those who have muted its type. Each of
// them gets it once, and for one reason.
package route

import (
	"context"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// shown is how many unknown names an error spells out; it counts the rest.
const shown = 10

// Directory knows users and roles by name, and who has muted what.
type Directory interface {
	// SeqsByName returns the seq of each name, and the names nobody bears.
	SeqsByName(ctx context.Context, names []string) (seqs map[string]int64, unknown []string, err error)
	// RoleMembers returns the seqs of a role's members, none for a role
	// without members, and notifier.ErrNotFound for an unknown role.
	RoleMembers(ctx context.Context, role string) (*roaring.Bitmap, error)
	// MutedBy returns who among some users does not want notices of a type.
	MutedBy(ctx context.Context, typ string, among *roaring.Bitmap) (*roaring.Bitmap, error)
}

// Router answers who gets a notice.
type Router struct {
	dir      Directory
	topics   Topics
	gathered gathering
}

// New returns a router over dir. Without topics (nil) nobody subscribes to any, and
// every type may be muted.
func New(dir Directory, topics Topics) *Router { return &Router{dir: dir, topics: topics} }

// Recipients returns the seqs of who gets d. A role without members has none, nor
// has a topic nobody subscribes to or a notice whose type all have muted, and that is no error. Users or a
// role that do not exist are named in an *notifier.InvalidError on the field
// `to`; the bitmap then holds the others.
func (r *Router) Recipients(ctx context.Context, d notifier.Draft) (*roaring.Bitmap, error) {
	answers, err := r.RecipientsAll(ctx, []notifier.Draft{d})
	if err != nil {
		return nil, err
	}
	return answers[0].To, answers[0].Err
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
