package handlers

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// Roles lists roles and changes who is in them; see store. Members are listed by
// Directory.
type Roles interface {
	RolesPage(ctx context.Context, q notifier.RoleQuery) ([]notifier.RoleInfo, error)
	// Role is notifier.ErrNotFound when there is none of exactly this name.
	Role(ctx context.Context, name string) (notifier.RoleInfo, error)
	// CreateRole is notifier.ErrConflict when there is one of this name. A bad name is
	// a *notifier.InvalidError.
	CreateRole(ctx context.Context, name string) error
	// DeleteRole takes its subscriptions with it. It is notifier.ErrNotFound when there
	// is none, notifier.ErrConflict for notifier.RoleStaff.
	DeleteRole(ctx context.Context, name string) error
	// AddRole makes a user a member; a member stays one. It is notifier.ErrNotFound
	// when there is no such user.
	AddRole(ctx context.Context, user, role string) error
	// RemoveRole is notifier.ErrNotFound when there is no such user or role; who is no
	// member stays none.
	RemoveRole(ctx context.Context, user, role string) error
}

// Keys is the keys of host applications; see store.
type Keys interface {
	// Keys lists them, the latest first; also those that are revoked.
	Keys(ctx context.Context) ([]notifier.APIKey, error)
	// AddKey keeps the hash of a key. Faults are a *notifier.InvalidError.
	AddKey(ctx context.Context, k notifier.APIKey, hash []byte) (notifier.APIKey, error)
	// RevokeKey is notifier.ErrNotFound when there is none. One that is revoked stays
	// as it is.
	RevokeKey(ctx context.Context, id int64) (notifier.APIKey, error)
}

// Rules is the rules that watch databases; see notifier/rule.
type Rules interface {
	// States lists them in the order of their file.
	States(ctx context.Context) ([]notifier.RuleState, error)
	// RunNow runs one, or has it run; how it went is in its state. It is
	// notifier.ErrNotFound when there is none of this name, notifier.ErrConflict while
	// it is running already.
	RunNow(ctx context.Context, name string) error
}
