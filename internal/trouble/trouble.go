// Package trouble says what is wrong with Redis or SQL, and what cures it, from the errors of their drivers. Logs,
// /readyz and the doctor use the same words.
package trouble

import (
	"errors"
	"fmt"
	"strings"
)

// Trouble is why a database cannot be used. The zero Trouble says that an error has no cause known here.
type Trouble struct {
	Found string // what is wrong, without names, addresses and secrets, so that anybody may read it
	Cure  string // what the operator does about it
	Kind  Kind
}

// Kind says what an error concerns.
type Kind int

// The kinds of trouble.
const (
	Unknown Kind = iota
	Away         // no answer, or not now: it passes when the database is there
	Refused      // the database answers, and refuses this connection until somebody changes something
	Changes      // the database answers queries, and refuses changes
	Rights       // the database answers, and the user may not do everything that Carillon does
)

// String returns what is wrong and its cure as one sentence.
func (t Trouble) String() string { return t.Found + ": " + t.Cure }

// Slow reports whether the other side is there, and only answers late: no line of its own says so.
func (t Trouble) Slow() bool { return t.Found == slow }

// Vague reports whether many causes look like this.
func (t Trouble) Vague() bool { return t.Found == slow || t.Found == closed }

// each calls visit for an error and for all that it wraps, until visit returns true. Unlike errors.As it finds several
// of one type: an error of Sentinel joins those of all its hosts.
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

// Detail returns the innermost words of an error: what the other side said. Of several errors that one wraps, the last is
// that of the driver, or of its last attempt.
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

// Explain returns an error of a database as a command prints it: a known cause and its cure first, and the error on a line
// of its own.
func Explain(source Source, why Trouble, err error) string {
	if why == (Trouble{}) {
		return err.Error()
	}
	return fmt.Sprintf("%s: %s\n  %s", source, why, strings.Join(strings.Fields(err.Error()), " "))
}

// Source is the database that an error is from.
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

// Mark notes which database an error is from, which a broken connection does not tell.
func Mark(source Source, err error) error { return &marked{source, err} }

// Of returns the database that an error is from, and its trouble. The source is empty if the error was never marked, and is
// no answer of Redis.
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
