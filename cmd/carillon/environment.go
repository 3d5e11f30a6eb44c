package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// environment gives each flag its twin: --redis-url is CARILLON_REDIS_URL. A
// flag of the command line wins; an empty variable counts as not set. A secret
// can stand in a file named by CARILLON_…_FILE instead.
type environment struct {
	lookup func(string) (string, bool)
	faults []string
}

// Validate has nothing to check: kong asks for it.
func (e *environment) Validate(*kong.Application) error { return nil }

// Resolve returns the variable's text, or nil where it is not set.
func (e *environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := "CARILLON_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
	value, _ := e.lookup(name)
	if flag.Tag.Has("secret") {
		value = e.secret(name, value)
	}
	if value == "" {
		return nil, nil // kong keeps the default of a flag for which its resolvers answer neither
	}
	return value, nil
}

func (e *environment) secret(name, value string) string {
	path, _ := e.lookup(name + "_FILE")
	switch {
	case path == "":
		return value
	case value != "":
		e.faults = append(e.faults, fmt.Sprintf("%s and %s_FILE are both set: keep one", name, name))
		return value
	}
	text, err := os.ReadFile(path)
	if err != nil {
		e.faults = append(e.faults, fmt.Sprintf("%s_FILE: %v", name, err))
	}
	return strings.TrimSpace(string(text))
}
