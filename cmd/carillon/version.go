package main

import (
	"runtime/debug"

	"github.com/carillonhq/carillon/internal/config"
)

type versionCmd struct{}

// Run prints the version that this binary was built from.
func (versionCmd) Run(_ config.Config, c *console) error {
	v := version()
	return c.result(map[string]string{"version": v}, "carillon %s", v)
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// buildID identifies the build. It is the same on every instance of one build, and empty if it is
// unknown or the sources were modified.
func buildID() string {
	if v := version(); v != "(devel)" {
		return v
	}
	id := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				id = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				return ""
			}
		}
	}
	return id
}
