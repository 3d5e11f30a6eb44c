package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/carillonhq/carillon/api"
	"github.com/carillonhq/carillon/internal/agent"
	"github.com/carillonhq/carillon/internal/config"
)

type mcpCmd struct {
	URL    string `name:"url" placeholder:"URL" default:"http://127.0.0.1:8080" help:"The server, with the path under which it is mounted."`
	APIKey string `name:"api-key" placeholder:"KEY" secret:"" help:"An API key with the scope send, better in CARILLON_API_KEY or in the file that CARILLON_API_KEY_FILE names."`
}

// Run offers the API to the agent that has started this program, over its input and output, until the input ends.
func (m mcpCmd) Run(ctx context.Context, _ config.Config, c *console) error {
	to, err := url.Parse(m.URL)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return usageError{fmt.Errorf("--url: %q is no http or https URL", m.URL)}
	}
	if m.APIKey == "" {
		return usageError{errors.New("CARILLON_API_KEY: set it to an API key with the scope send; carillon key add makes one")}
	}
	doc, err := api.Document("")
	if err != nil {
		return fmt.Errorf("describe the api: %w", err)
	}
	return agent.Serve(ctx, agent.Config{URL: to, Key: m.APIKey, Version: version(), OpenAPI: doc}, io.NopCloser(c.stdin), staysOpen{c.stdout})
}

// staysOpen is a stream that is not closed.
type staysOpen struct{ io.Writer }

func (staysOpen) Close() error { return nil }
