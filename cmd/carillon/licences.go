package main

import (
	_ "embed" // the texts
	"fmt"

	"github.com/carillonhq/carillon/internal/config"
)

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
