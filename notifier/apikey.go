package notifier

import (
	"slices"
	"time"
)

// KeyScope is what an API key allows.
type KeyScope string

// The scopes. Admin allows what the others do.
const (
	ScopeSend  KeyScope = "send"
	ScopeRead  KeyScope = "read"
	ScopeAdmin KeyScope = "admin"
)

// KeyScopes lists every scope.
func KeyScopes() []KeyScope { return []KeyScope{ScopeSend, ScopeRead, ScopeAdmin} }

// APIKey is a key of a host application, without the key itself: only its hash is
// kept. Several may bear one name, so that a new one can take over from an old one.
type APIKey struct {
	ID        int64
	Name      string
	Scopes    []KeyScope
	CreatedAt time.Time
	UsedAt    time.Time // to some minutes; zero: never
	RevokedAt time.Time // zero: it is valid
}

// Allows says whether the key may do what needs this scope.
func (k APIKey) Allows(scope KeyScope) bool {
	return slices.Contains(k.Scopes, scope) || slices.Contains(k.Scopes, ScopeAdmin)
}

// Validate names every fault of a key that is to be made.
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
			bad.Add("scope", CodeBadKeyScope, map[string]any{"Name": excerpt(string(s))})
		}
	}
	return bad.OrNil()
}
