package main

import "runtime/debug"

type versionCmd struct{}

// Run prints what this binary was built from.
func (versionCmd) Run(_ config, c *console) error {
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

// buildID tells builds apart; it is the same on every instance of one build, and
// empty when the binary does not know what it was made from.
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
