package views

import "github.com/a-h/templ"

// APIKeys is the keys of applications.
type APIKeys struct {
	Frame
	List
	Faults
	Name   string // what was typed as the name of a new one
	Scopes []ScopeChoice
	Key    *NewKey // the one that was just made; nil: none was
	Revoke *Revoke // nil: nobody asks for it
	Rows   []APIKeyRow
}

// ScopeChoice is something that a key may do.
type ScopeChoice struct {
	Value, Label, Hint string
	Chosen             bool
}

// NewKey is a key that was just made.
type NewKey struct{ Key, Text string }

// Revoke asks whether a key is to be revoked.
type Revoke struct{ ID, Text string }

// APIKeyRow is one key.
type APIKeyRow struct {
	ID, Name                string
	Scopes                  []string
	Made, Used              Dated
	Never                   string // instead of Used: it was not used yet
	Revoked                 Dated  // its date is empty: it is valid
	RevokeHref, RevokeNamed string
}

// scopes ties the boxes to what is wrong with them.
func (p *APIKeys) scopes() templ.Attributes {
	if p.Of["scope"] == "" {
		return nil
	}
	return templ.Attributes{"aria-describedby": "scope-fault"}
}
