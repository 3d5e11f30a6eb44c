package config

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// Variable returns the name of a flag's variable in the environment.
func Variable(flag string) string { return variable(flag) }

// Nearest returns the name that is closest to word, counted in typing mistakes; empty if all differ by more than a
// third of its letters.
func Nearest(word string, names []string) string { return nearest(word, names) }

// Misspelt returns a sentence for each of these variables that resembles a setting but is not one. rules is the
// text of the rules, which use their own variables. Values are never included.
func Misspelt(names []string, rules string) (all []string) {
	const prefix = "CARILLON_"
	known := []string{}
	for _, flag := range settingsOf(&Flags{}) {
		known = append(known, variable(flag.Name))
		if flag.Tag.Has("secret") {
			known = append(known, variable(flag.Name)+"_FILE")
		}
	}
	endings := make([]string, len(known))
	for i, name := range known {
		endings[i] = strings.TrimPrefix(name, prefix)
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		// The common prefix does not indicate the intended name.
		word, ours := strings.CutPrefix(name, prefix)
		near := nearest(name, known)
		if ours {
			near = nearest(word, endings)
		}
		if ours && near != "" {
			near = prefix + near
		}
		switch {
		case slices.Contains(known, name), ofOthers(name), rules != "" && strings.Contains(rules, name):
		case near != "" && (ours || mistakes(name, near) <= 2):
			all = append(all, fmt.Sprintf("the variable %s is not a setting and has no effect; did you mean %s?", name, near))
		case ours:
			all = append(all, fmt.Sprintf("the variable %s is not a setting and has no effect; `carillon help settings` lists them", name))
		}
	}
	return all
}

// Misspelt returns a sentence for each variable of the environment that resembles a setting but is not one, and for a TZ
// that is not a time zone.
func (c *Config) Misspelt() []string {
	all := c.misspelt()
	if _, err := Local(c.Lookup); err != nil {
		all = append(all, err.Error())
	}
	return all
}

func (c *Config) misspelt() []string {
	rules := ""
	if c.Rules != "" {
		text, err := os.ReadFile(c.Rules)
		if err != nil {
			return nil // its own fault is reported
		}
		rules = string(text)
	}
	return Misspelt(c.Names, rules)
}

// ofOthers recognizes variables of host applications, and the variables that Kubernetes sets in every container
// for a service named carillon.
func ofOthers(name string) bool {
	return name == "CARILLON_API_KEY" || name == "CARILLON_API_KEY_FILE" || name == "CARILLON_TOKEN_KEY" || strings.HasPrefix(name, "CARILLON_SERVICE_") || name == "CARILLON_PORT" || strings.HasPrefix(name, "CARILLON_PORT_")
}
