package main

import (
	"bytes"
	_ "embed" // the texts
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/internal/config"
)

type versionCmd struct{}

// Run prints the version that this binary was built from.
func (versionCmd) Run(_ config.Config, c *console) error {
	v := version()
	return c.result(map[string]string{"version": v}, "carillon %s", v)
}

// release is the version of a binary that scripts/release built; the linker sets it.
var release string

func version() string {
	if release != "" {
		return release
	}
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

// licences is the output of scripts/licences.
//
//go:embed licences.txt
var licences string

type licencesCmd struct{}

// Run prints the licences of the third-party code in this binary, so that every copy of the binary
// carries them.
func (licencesCmd) Run(_ config.Config, c *console) error {
	_, err := fmt.Fprint(c.stdout, licences)
	return err
}

type openapiCmd struct{}

// Run prints the document that a running server serves at /api/v1/openapi.json, for generating a
// client without a server.
func (openapiCmd) Run(_ config.Config, c *console) error {
	doc, err := api.Document("")
	if err != nil {
		return fmt.Errorf("describe the api: %w", err)
	}
	var lines bytes.Buffer
	if err := json.Indent(&lines, doc, "", "  "); err != nil {
		return fmt.Errorf("describe the api: %w", err)
	}
	_, err = fmt.Fprintln(c.stdout, lines.String())
	return err
}
