package views

import "github.com/a-h/templ"

// APIKeys is the page of API keys.
type APIKeys struct {
	Frame
	List
	Faults
	Name   string // the name typed for a new key
	Once   string // identifies the form if it is submitted again
	Scopes []ScopeChoice
	Key    *NewKey // the key just created; nil: none
	Revoke *Revoke // nil: no revocation was requested
	Rows   []APIKeyRow
}

// ScopeChoice is the checkbox for a scope.
type ScopeChoice struct {
	Value, Label, Hint string
	Chosen             bool
}

// NewKey is a key that was just created.
type NewKey struct{ Key, Text string }

// Revoke asks for confirmation before a key is revoked.
type Revoke struct {
	ID, Text string
	What     string // for an app's key: the consequences
}

// APIKeyRow is one key.
type APIKeyRow struct {
	ID, Name                string
	Scopes                  []string
	Made, Used              Dated
	Never                   string // shown instead of Used if the key was never used
	Revoked                 Dated  // without a date: still valid
	Ends                    Dated  // when it will be revoked; without a date: not scheduled
	RevokeHref, RevokeNamed string
}

// scopes links the checkboxes to their error.
func (p *APIKeys) scopes() templ.Attributes {
	if p.Of["scope"] == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": "scope-fault"}
}
