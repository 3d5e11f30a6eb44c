package notifier

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Errors that callers distinguish with errors.Is. A handler turns each into a status and
// a page of fixed text; users never see these texts.
var (
	// ErrNotFound: it does not exist, or it belongs to another user.
	ErrNotFound = errors.New("not found")
	// ErrUnauthenticated: the request has no session, or its session has ended.
	ErrUnauthenticated = errors.New("not signed in")
	// ErrForbidden: the user is signed in but not allowed to do this.
	ErrForbidden = errors.New("not allowed")
	// ErrNoPassword: the user did not sign in with a password, so they cannot change it.
	ErrNoPassword = fmt.Errorf("%w: not signed in by a password", ErrForbidden)
	// ErrTooLarge: the request exceeds the size limit.
	ErrTooLarge = errors.New("request too large")
	// ErrTooMany: a limit on attempts or streams is reached; retry later.
	ErrTooMany = errors.New("too many attempts")
	// ErrConflict: it already exists, or has changed since it was read.
	ErrConflict = errors.New("conflict with what is stored")
	// ErrOtherRequest: the idempotency key was used before, for a different request.
	ErrOtherRequest = errors.New("the key belongs to another request")
	// ErrFull: the installation's limit on users is reached.
	ErrFull = errors.New("no room for another")
	// ErrAmbiguous: a request has two identities of one kind, and neither has precedence.
	ErrAmbiguous = errors.New("more than one Authorization header")
	// ErrBadIdentity: the identity header of a trusted proxy names no user, two users, or an invalid name.
	ErrBadIdentity = errors.New("the identity header does not name one user")
	// ErrUnavailable: Redis or SQL is unavailable; the operation had no effect.
	ErrUnavailable = errors.New("temporarily unavailable")
)

// FieldError contains the invalid field of a request and the reason. Code selects a message of
// the catalogues (`error.CODE`); Params fill it in.
type FieldError struct {
	Field  string
	Code   string
	Params map[string]any
}

func (e FieldError) Error() string {
	if len(e.Params) == 0 {
		return e.Field + ": " + e.Code
	}
	return fmt.Sprintf("%s: %s %v", e.Field, e.Code, e.Params)
}

// InvalidError collects every fault of one request, in the order of the form's fields, so
// that a sender can correct them all at once.
type InvalidError struct{ Fields []FieldError }

func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Error()
	}
	return "invalid: " + strings.Join(parts, "; ")
}

// Add appends a fault.
func (e *InvalidError) Add(field, code string, params map[string]any) {
	e.Fields = append(e.Fields, FieldError{Field: field, Code: code, Params: params})
}

// Has reports whether any of these fields is invalid.
func (e *InvalidError) Has(fields ...string) bool {
	return slices.ContainsFunc(e.Fields, func(f FieldError) bool { return slices.Contains(fields, f.Field) })
}

// OrNil returns e as an error if it has any fault, else nil.
func (e *InvalidError) OrNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
