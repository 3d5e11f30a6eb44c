package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/internal/config"
)

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
