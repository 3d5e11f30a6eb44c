package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// Lookup returns a variable of the environment, as os.LookupEnv does. Tests have their own.
type Lookup func(name string) (string, bool)

// Process looks up a variable in the environment of this process.
func Process(name string) (string, bool) { return os.LookupEnv(name) }

// Environment gives each flag its twin: --redis-url is CARILLON_REDIS_URL. A flag on the command
// line wins, and an empty variable counts as not set. A secret may be in a file named by
// CARILLON_…_FILE instead. Environment is a kong.Resolver; it collects faults for Flags.Config.
type Environment struct {
	Lookup Lookup
	faults Faults
}

// Validate does nothing; kong.Resolver requires it.
func (e *Environment) Validate(*kong.Application) error { return nil }

// Resolve returns the text of a flag's variable, or nil if it is not set.
func (e *Environment) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	name := "CARILLON_" + strings.ToUpper(strings.ReplaceAll(flag.Name, "-", "_"))
	value, _ := e.Lookup(name)
	if flag.Tag.Has("secret") {
		value = e.secret(name, value)
	}
	if value == "" {
		return nil, nil // kong uses the flag's default when no resolver has a value
	}
	return value, nil
}

// secret returns the value of a variable, or the text of the file that its _FILE twin names.
func (e *Environment) secret(name, value string) string {
	path, _ := e.Lookup(name + "_FILE")
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
