package notifier

import (
	"cmp"
	"fmt"
)

// UnfitError means that this program and the schema of the database are incompatible. Its text contains both
// versions and the cure, and no secrets. It wraps ErrUnavailable.
type UnfitError struct {
	Program string // the version of this program
	Knows   int64  // the newest migration in this program
	Schema  int64  // the newest migration of the database
	Needs   int64  // the newest migration that a program must contain to run on that schema
	Made    string // the version of Carillon that migrated the database; empty: unknown
}

func (e *UnfitError) Error() string {
	program := "this program, Carillon " + cmp.Or(e.Program, "of an unknown version") + ","
	if e.Schema < e.Knows {
		return fmt.Sprintf("%s needs schema %d, and the database has schema %d: run `carillon migrate`, or restart the server, which migrates",
			program, e.Knows, e.Schema)
	}
	made := "a newer Carillon"
	if e.Made != "" {
		made = "Carillon " + e.Made
	}
	return fmt.Sprintf("%s knows schema %d, and the database has schema %d of %s, which needs a program that knows %d: install %s or newer",
		program, e.Knows, e.Schema, made, e.Needs, made)
}

// Unwrap returns ErrUnavailable.
func (e *UnfitError) Unwrap() error { return ErrUnavailable }
