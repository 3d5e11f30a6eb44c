// Package trouble derives the fault of Redis or SQL, and its cure, from the errors of their drivers. Logs,
// /readyz and the doctor use the same words.
package trouble

import (
	"errors"
	"fmt"
	"strings"
)

// Trouble is the reason why a database cannot be used. The zero Trouble means that the cause of an error is unknown.
type Trouble struct {
	Found string // the fault, without names, addresses and secrets, because it is public
	Cure  string // what the operator must do
	Kind  Kind
}

// Kind is the effect of an error.
type Kind int

// The kinds of trouble.
const (
	Unknown Kind = iota
	Away         // no response, or temporarily unavailable
	Refused      // the database responds, but rejects this connection until an operator changes something
	Changes      // the database answers queries, but rejects changes
	Rights       // the database responds, but the user lacks a right that Carillon needs
)

// String returns the fault and its cure as one sentence.
func (t Trouble) String() string { return t.Found + ": " + t.Cure }

// Slow reports whether the other side responds, but late.
func (t Trouble) Slow() bool { return t.Found == slow }

// Vague reports whether the fault has many possible causes.
func (t Trouble) Vague() bool { return t.Found == slow || t.Found == closed }

// each calls visit for an error and everything that it wraps, until visit returns true. Unlike errors.As it finds
// several of one type: an error of Sentinel joins the errors of all its hosts.
func each(err error, visit func(error) bool) bool {
	if err == nil {
		return false
	}
	if visit(err) {
		return true
	}
	switch wrapper := err.(type) { //nolint:errorlint // this is the walk itself
	case interface{ Unwrap() error }:
		return each(wrapper.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, one := range wrapper.Unwrap() {
			if each(one, visit) {
				return true
			}
		}
	}
	return false
}

// Detail returns the innermost text of an error, from the other side. Of several wrapped errors it returns the last, which is
// from the driver, or from its last attempt.
func Detail(err error) string {
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			if all := several.Unwrap(); len(all) > 0 {
				inner = all[len(all)-1]
			}
		}
		if inner == nil {
			break
		}
		err = inner
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

// Explain returns an error of a database in the form that commands print: a known cause and its cure first, and the
// error on a separate line.
func Explain(source Source, why Trouble, err error) string {
	if why == (Trouble{}) {
		return err.Error()
	}
	return fmt.Sprintf("%s: %s\n  %s", source, why, strings.Join(strings.Fields(err.Error()), " "))
}

// Source is the database that an error comes from.
type Source string

// The databases.
const (
	Redis Source = "redis"
	SQL   Source = "sql"
)

type marked struct {
	source Source
	err    error
}

func (m *marked) Error() string { return m.err.Error() }

func (m *marked) Unwrap() error { return m.err }

// Mark marks an error with its database, which an error of a broken connection does not contain.
func Mark(source Source, err error) error { return &marked{source, err} }

// Of returns the database that an error comes from, and its trouble. The source is empty if the error was never
// marked and is not a reply of Redis.
func Of(err error) (Source, Trouble) {
	var by *marked
	switch {
	case err == nil:
		return "", Trouble{}
	case !errors.As(err, &by):
		return "", Trouble{}
	case by.source == SQL:
		return SQL, OfSQL(by.err)
	}
	return by.source, OfRedis(by.err)
}
