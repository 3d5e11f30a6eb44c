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

// APIKey describes a key of a host application. The key itself is not kept, only its
// hash. Several keys may share a name, so that a new one can replace an old one.
type APIKey struct {
	ID        int64
	Name      string
	Scopes    []KeyScope
	CreatedAt time.Time
	UsedAt    time.Time // accurate to a few minutes; zero: never
	RevokedAt time.Time // zero: still valid; may be still to come
	AppID     int64     // the app that it acts for; 0: none
}

// Audited describes the key for the audit log, beside its name: its number, because keys may have the same name, and its
// scopes.
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

// Allows reports whether the key may do things that need this scope.
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
