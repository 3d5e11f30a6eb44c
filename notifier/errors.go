package notifier

import (
	"errors"
	"fmt"
	"strings"
)

// The outcomes that callers tell apart with errors.Is. A handler turns each
// into a status and a page of fixed text; none of these texts reaches a user.
var (
	// ErrNotFound: it does not exist, or it belongs to somebody else.
	ErrNotFound = errors.New("not found")
	// ErrUnauthenticated: nobody is signed in, or not any more.
	ErrUnauthenticated = errors.New("not signed in")
	// ErrForbidden: signed in, and not allowed to do this.
	ErrForbidden = errors.New("not allowed")
	// ErrTooLarge: the request is larger than is read.
	ErrTooLarge = errors.New("request too large")
	// ErrTooMany: a limit on attempts or streams is reached; try later.
	ErrTooMany = errors.New("too many attempts")
	// ErrConflict: it exists already, or changed since it was read.
	ErrConflict = errors.New("conflict with what is stored")
	// ErrOtherRequest: the key of a repeated request was used for another one.
	ErrOtherRequest = errors.New("the key belongs to another request")
	// ErrFull: as many are there as the installation was set up for.
	ErrFull = errors.New("no room for another")
	// ErrUnavailable: Redis or SQL is away; nothing was half done.
	ErrUnavailable = errors.New("temporarily unavailable")
)

// FieldError says which field of a request is wrong and what would be right.
// Code names a message of the catalogues (`error.CODE`); Params fill it.
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

// InvalidError gathers every fault of one request, so that a sender mends them
// all at once. Its order is that of the form.
type InvalidError struct{ Fields []FieldError }

func (e *InvalidError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Error()
	}
	return "invalid: " + strings.Join(parts, "; ")
}

// Add appends one fault.
func (e *InvalidError) Add(field, code string, params map[string]any) {
	e.Fields = append(e.Fields, FieldError{Field: field, Code: code, Params: params})
}

// OrNil returns e as an error when it holds a fault, else nil.
func (e *InvalidError) OrNil() error {
	if len(e.Fields) == 0 {
		return nil
	}
	return e
}
