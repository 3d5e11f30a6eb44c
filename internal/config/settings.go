package config

import (
	"fmt"
	"strings"
)

// Setting is an effective setting, for operators.
type Setting struct {
	Name   string `json:"name"`  // of the flag
	Value  string `json:"value"` // Hidden if it is a secret
	From   string `json:"from"`  // default, command line, a variable, or a line of the configuration file
	Secret bool   `json:"secret,omitempty"`
}

// Hidden replaces a secret.
const Hidden = "(hidden)"

// Settings lists the effective settings, in the order of the flags, without secrets. env must be the
// Environment with which f was parsed.
func (f *Flags) Settings(env *Environment) []Setting {
	var all []Setting
	for _, flag := range settingsOf(f) {
		s := Setting{Name: flag.Name, Value: fmt.Sprint(flag.Target.Interface()), From: env.from[flag.Name], Secret: flag.Tag.Has("secret")}
		switch {
		case s.From != "":
		case s.Value == flag.Default:
			s.From = "default"
		default:
			s.From = "command line"
		}
		if s.Secret && s.Value != "" {
			s.Value = Hidden
		}
		all = append(all, s)
	}
	return all
}

// String formats a setting as a line of a configuration file. A secret, the name of the file itself, and a
// setting that is not set are written as comments.
func (s Setting) String() string {
	line := fmt.Sprintf("%s = %q", s.Name, s.Value)
	if s.Value == "" || s.Value == Hidden || s.Name == fileFlag {
		line = "# " + line
	}
	return fmt.Sprintf("%s%s  # %s", line, strings.Repeat(" ", max(0, 44-len(line))), s.From)
}
