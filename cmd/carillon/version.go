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
