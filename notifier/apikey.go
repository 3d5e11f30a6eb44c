package notifier

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// KeyScope is a permission of an API key.
type KeyScope string

// The scopes. Admin includes the others.
const (
	ScopeSend  KeyScope = "send"
	ScopeRead  KeyScope = "read"
	ScopeAdmin KeyScope = "admin"
)

// KeyScopes lists every scope.
func KeyScopes() []KeyScope { return []KeyScope{ScopeSend, ScopeRead, ScopeAdmin} }

func knownScopes() string {
	names := make([]string, 0, len(KeyScopes()))
	for _, s := range KeyScopes() {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// APIKey describes an API key of a host application. Only the hash of the key is stored. Several
// keys may share a name, so that a new key can replace an old one.
type APIKey struct {
	ID        int64
	Name      string
	Scopes    []KeyScope
	CreatedAt time.Time
	UsedAt    time.Time // accurate to a few minutes; zero: never
	RevokedAt time.Time // zero: valid; may be in the future
	AppID     int64     // the app that the key acts for; 0: none
}

// Audited returns the details of the key for the audit log, besides its name: its number, because names are not
// unique, and its scopes.
func (k APIKey) Audited() string {
	scopes := make([]string, len(k.Scopes))
	for i, scope := range k.Scopes {
		scopes[i] = string(scope)
	}
	return strconv.FormatInt(k.ID, 10) + " " + strings.Join(scopes, ",")
}

// Revoked reports whether the key is no longer valid.
func (k APIKey) Revoked(now time.Time) bool {
	return !k.RevokedAt.IsZero() && !k.RevokedAt.After(now)
}

// Allows reports whether the key grants this scope.
func (k APIKey) Allows(scope KeyScope) bool {
	return slices.Contains(k.Scopes, scope) || slices.Contains(k.Scopes, ScopeAdmin)
}

// Validate returns an *InvalidError with every fault of a key about to be created, or nil.
func (k *APIKey) Validate() error {
	var bad InvalidError
	switch {
	case k.Name == "":
		bad.Add("name", CodeRequired, nil)
	case !ValidName(k.Name):
		bad.Add("name", CodeBadName, map[string]any{"Name": excerpt(k.Name)})
	}
	if len(k.Scopes) == 0 {
		bad.Add("scope", CodeRequired, nil)
	}
	for _, s := range k.Scopes {
		if !slices.Contains(KeyScopes(), s) {
			bad.Add("scope", CodeBadKeyScope, map[string]any{"Name": excerpt(string(s)), "Known": knownScopes()})
		}
	}
	return bad.OrNil()
}
