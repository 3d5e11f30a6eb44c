package handlers

import (
	"context"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Roles lists roles, and changes them and their members for an actor, whom the audit log names; see
// store and notifier/person. The members of a role are listed by Directory.
type Roles interface {
	RolesPage(ctx context.Context, q notifier.RoleQuery) ([]notifier.RoleInfo, error)
	// Role returns notifier.ErrNotFound unless a role has exactly this name.
	Role(ctx context.Context, name string) (notifier.RoleInfo, error)
	// CreateRole returns notifier.ErrConflict if a role of this name exists, and a
	// *notifier.InvalidError for a bad name.
	CreateRole(ctx context.Context, by notifier.Actor, name string) error
	// DeleteRole deletes a role and its subscriptions. It returns notifier.ErrNotFound for an
	// unknown role and notifier.ErrConflict for notifier.RoleStaff.
	DeleteRole(ctx context.Context, by notifier.Actor, name string) error
	// GrantRole makes a user a member; adding a member again changes nothing. It returns
	// notifier.ErrNotFound for an unknown user.
	GrantRole(ctx context.Context, by notifier.Actor, user, role string) error
	// RevokeRole returns notifier.ErrNotFound for an unknown user or role; removing a non-member
	// changes nothing.
	RevokeRole(ctx context.Context, by notifier.Actor, user, role string) error
}

// Keys manages the API keys of host applications; see store.
type Keys interface {
	// Keys lists all keys, newest first, including revoked ones.
	Keys(ctx context.Context) ([]notifier.APIKey, error)
	// AddKeyOnce stores the hash of a key. Submitting the same form again makes no second key: it
	// returns the first one with repeated set. Invalid fields are a *notifier.InvalidError.
	AddKeyOnce(ctx context.Context, by notifier.Actor, k notifier.APIKey, hash []byte, form string) (added notifier.APIKey, repeated bool, err error)
	// RevokeKey returns notifier.ErrNotFound for an unknown key. Revoking a revoked key changes
	// nothing.
	RevokeKey(ctx context.Context, by notifier.Actor, id int64) (notifier.APIKey, error)
}

// Apps manages host applications for an actor, whom the audit log names; see notifier/app.
type Apps interface {
	// List lists all apps, newest first, and their keys without secrets, including revoked ones.
	List(ctx context.Context) ([]notifier.App, []notifier.AppKey, error)
	// Add adds an app with a public key in PEM form, or a secret of its own if that is empty. It
	// returns a *notifier.InvalidError, or notifier.ErrConflict for a name or issuer that is taken or
	// when there are notifier.MaxApps.
	Add(ctx context.Context, by notifier.Actor, a notifier.App, publicKey []byte) (notifier.AddedApp, error)
	// Change changes the fields of an app that change names. It returns a *notifier.InvalidError, or notifier.ErrNotFound.
	Change(ctx context.Context, by notifier.Actor, name string, change notifier.AppChange) (notifier.App, error)
	// Rotate gives an app another key. It returns notifier.ErrConflict if the app has a JWKS or
	// notifier.MaxAppKeys.
	Rotate(ctx context.Context, by notifier.Actor, name string, publicKey []byte) (tokenKey string, err error)
	// RotateAPIKey gives an app another API key; the old ones stay valid for grace, 0 until they are revoked. It returns
	// notifier.ErrConflict if the app has notifier.MaxAppKeys.
	RotateAPIKey(ctx context.Context, by notifier.Actor, name string, grace time.Duration) (apiKey string, err error)
	// Revoke and RevokeKey return notifier.ErrNotFound for an app or key that is unknown or revoked.
	Revoke(ctx context.Context, by notifier.Actor, name string) (notifier.App, error)
	RevokeKey(ctx context.Context, by notifier.Actor, name string, id int64) (notifier.App, error)
}

// Slips carries a text over the redirect after a form to the page that shows it once; see
// internal/session.
type Slips interface {
	Put(w http.ResponseWriter, r *http.Request, path string, seq int64, text string) error
	// Take returns false if there is no text, or it belongs to another user.
	Take(w http.ResponseWriter, r *http.Request, seq int64) (text string, ok bool)
}

// Rules lists and runs the rules that watch databases; see notifier/rule.
type Rules interface {
	// States lists the rules in the order of their file.
	States(ctx context.Context) ([]notifier.RuleState, error)
	// RunNow runs a rule on this instance. It returns when the rule has run, or after a few
	// seconds while the rule continues; States has the outcome. It returns notifier.ErrNotFound
	// for an unknown rule and notifier.ErrConflict for one that has a fault or is running
	// already.
	RunNow(ctx context.Context, name string) error
}
