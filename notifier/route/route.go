// Package route turns the target of a notice into the users who get it: those
// it names, but for those who have muted its type.
package route

import (
	"context"
	"errors"
	"fmt"
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
	gathered gathering
}

// New returns a router over dir.
func New(dir Directory) *Router { return &Router{dir: dir} }

// Recipients returns the seqs of who gets d. A role without members has none,
// nor has a notice whose type all have muted, and that is no error. Users or a
// role that do not exist are named in an *notifier.InvalidError on the field
// `to`; the bitmap then holds the others.
func (r *Router) Recipients(ctx context.Context, d notifier.Draft) (*roaring.Bitmap, error) {
	answers, err := r.RecipientsAll(ctx, []notifier.Draft{d})
	if err != nil {
		return nil, err
	}
	return answers[0].To, answers[0].Err
}

func (r *Router) members(ctx context.Context, role string) (*roaring.Bitmap, error) {
	found, err := r.dir.RoleMembers(ctx, role)
	switch {
	case errors.Is(err, notifier.ErrNotFound):
		return roaring.New(), invalid(notifier.CodeUnknownRole, map[string]any{"Name": role})
	case err != nil:
		return nil, fmt.Errorf("look up the members of role %q: %w", role, err)
	}
	return found, nil
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
