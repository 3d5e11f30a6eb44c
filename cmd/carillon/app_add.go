package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/snippets"
)

type appAddCmd struct {
	Name      string        `arg:"" help:"The application."`
	Origin    []string      `placeholder:"ORIGIN" help:"Where its pages are, such as https://shop.example.com; may be repeated."`
	Base      string        `placeholder:"URL" help:"Put before links of notices that begin with /; empty: the first origin."`
	InboxURL  string        `name:"inbox-url" placeholder:"URL" help:"Where its users see all their notices; empty: the base."`
	Settings  string        `name:"settings-url" placeholder:"URL" help:"Where its users choose how they get mail; empty: a page of Carillon that needs no sign-in."`
	Audience  string        `default:"user" help:"The audience of its users (${default})."`
	Roles     []string      `placeholder:"ROLE,…" help:"Roles that its tokens may give; never staff."`
	MaxLife   time.Duration `default:"1h" help:"The longest life of a token, from 1m to 24h (${default})."`
	PublicKey string        `placeholder:"FILE" xor:"key" help:"Verify tokens by this public key (PEM: P-256, Ed25519 or RSA) instead of a shared secret."`
	JWKS      string        `name:"jwks" placeholder:"URL" xor:"key" help:"Verify tokens by the keys at this https address; needs --issuer."`
	Issuer    string        `placeholder:"TEXT" help:"What tokens must have in iss."`
	Snippet   string        `placeholder:"STACK" enum:",${snippets}" default:"" help:"Also print the code of the endpoint that signs tokens, and the HTML: ${snippets}."`
}

// addedApp is an app as add prints it.
type addedApp struct {
	ID       int64  `json:"id"`
	Name     string `json:"name"`
	APIKey   string `json:"api_key"`
	TokenKey string `json:"token_key"`
	Endpoint string `json:"endpoint,omitempty"`
	HTML     string `json:"html,omitempty"`
}

// Run adds an app. Its keys are printed; the secrets can be shown at no other time.
func (a appAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	audience, err := cfg.AudienceOf(a.Audience)
	if err != nil {
		return usageError{fmt.Errorf("--audience: %w", err)}
	}
	line := addedApp{}
	if a.Snippet != "" {
		if a.PublicKey != "" || a.JWKS != "" {
			return usageError{errors.New("--snippet: the endpoints sign with a shared secret; leave out --public-key and --jwks")}
		}
		if line.Endpoint, line.HTML, err = snippet(a.Snippet, cfg); err != nil {
			return err
		}
	}
	publicKey, err := readPublicKey(a.PublicKey)
	if err != nil {
		return usageError{err}
	}
	asked := notifier.App{
		Name: a.Name, Origins: a.Origin, Audience: audience, Roles: a.Roles, MaxLife: a.MaxLife, Issuer: a.Issuer, JWKS: a.JWKS,
		AppPlaces: notifier.AppPlaces{Base: a.Base, InboxURL: a.InboxURL, SettingsURL: a.Settings},
	}
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		added, err := apps.Add(ctx, commandLine(), asked, publicKey)
		if errors.Is(err, notifier.ErrConflict) {
			return fmt.Errorf("the name %q or the issuer belongs to another application, or there are %d applications already", a.Name, notifier.MaxApps)
		}
		if err != nil {
			return explainApp(err)
		}
		lines := "CARILLON_API_KEY=" + added.APIKey
		if added.TokenKey != "" {
			lines += "\nCARILLON_TOKEN_KEY=" + added.TokenKey
		}
		if a.Snippet != "" {
			lines += "\n\n" + line.Endpoint + "\n" + strings.TrimSuffix(line.HTML, "\n")
		}
		line.ID, line.Name, line.APIKey, line.TokenKey = added.ID, added.Name, added.APIKey, added.TokenKey
		err = c.result(line, "%s", lines)
		if err == nil && !c.json {
			c.note("%s is added; the keys are not shown again", added.Name)
		}
		return err
	})
}

// snippet returns the endpoint for a stack, and the HTML of the bell.
func snippet(stack string, cfg config.Config) (endpoint, html string, err error) {
	if endpoint, err = snippets.Endpoint(stack); err != nil {
		return "", "", err
	}
	server := "http://" + cfg.Addr
	if cfg.PublicURL != nil {
		server = cfg.PublicURL.String()
	}
	html, err = snippets.HTML(server)
	return endpoint, html, err
}
