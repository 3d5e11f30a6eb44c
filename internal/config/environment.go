package config

import (
	"fmt"
	"os"
	"strings"

	"github.com/alecthomas/kong"
)

// Lookup returns a variable of the environment, like os.LookupEnv. Tests use their own.
type Lookup func(name string) (string, bool)

// Process looks up a variable in the environment of this process.
func Process(name string) (string, bool) { return os.LookupEnv(name) }

// ProcessNames lists the names of the variables of this process.
func ProcessNames() []string {
	var names []string
	for _, pair := range os.Environ() {
		name, _, _ := strings.Cut(pair, "=")
		names = append(names, name)
	}
	return names
}

// Environment provides the values of flags from other sources: --redis-url is also CARILLON_REDIS_URL, and redis-url in
// the configuration file. The command line takes precedence over the variable, and the variable over the file. An
// empty variable counts as not set. A secret may be in a file named by CARILLON_…_FILE instead.
// Environment is a kong.Resolver for one command line; it collects faults for Flags.Config.
type Environment struct {
	Lookup Lookup
	faults Faults
	file   *file             // nil until the first flag is resolved
	from   map[string]string // the sources of settings that are not on the command line, by flag
}

// Validate does nothing; kong.Resolver requires it.
func (e *Environment) Validate(*kong.Application) error { return nil }

// Resolve returns the value of a flag's variable, else the value of its key in the configuration file, or
// nil if neither is set.
func (e *Environment) Resolve(call *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if e.file == nil {
		e.file = readFile(e.fileName(call), &e.faults)
		e.from = map[string]string{}
	}
	name := variable(flag.Name)
	value, _ := e.Lookup(name)
	if flag.Tag.Has("secret") {
		value = e.secret(name, value)
	}
	if value != "" {
		e.from[flag.Name] = name
		return value, nil
	}
	if s, ok := e.file.settings[flag.Name]; ok {
		e.from[flag.Name] = e.file.at(s.line)
		return s.text, nil
	}
	return nil, nil // kong uses the flag's default when no resolver has a value
}

// fileName returns the name of the configuration file; empty: none.
func (e *Environment) fileName(call *kong.Context) string {
	for _, step := range call.Path {
		if step.Flag != nil && step.Flag.Name == fileFlag {
			return call.FlagValue(step.Flag).(string)
		}
	}
	name, _ := e.Lookup(variable(fileFlag))
	return name
}

// variable returns the name of a flag's variable.
func variable(flag string) string {
	return "CARILLON_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// secret returns the value of a variable, or the text of the file named by its _FILE variant.
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

// located adds the line of the configuration file to a fault of a flag that is set there.
func (e *Environment) located(fault string) string {
	flag, rest, _ := strings.Cut(strings.TrimPrefix(fault, "--"), ":")
	if s, ok := e.file.settings[flag]; ok && e.from[flag] == e.file.at(s.line) {
		return fmt.Sprintf("--%s (%s):%s", flag, e.from[flag], rest)
	}
	return fault
}
