package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
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
	Base      string        `placeholder:"URL" help:"Put before links of its notices that begin with /, when they are accepted; empty: the first origin."`
	InboxURL  string        `name:"inbox-url" placeholder:"URL" help:"Where its users see all their notices; empty: the base."`
	Settings  string        `name:"settings-url" placeholder:"URL" help:"Where its users choose how they get mail; empty: a page of Carillon that needs no sign-in."`
	Title     string        `placeholder:"TEXT" help:"What people call it, in rows, mails and pushes, up to 60 characters; empty: its name."`
	Icon      string        `placeholder:"URL" help:"Its icon: an https address on one of the hosts of --image-hosts."`
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

// Run adds an app. Its keys are printed; the secrets cannot be shown again.
func (a appAddCmd) Run(ctx context.Context, cfg config.Config, c *console) error {
	audience, err := cfg.AudienceOf(a.Audience)
	if err != nil {
		return usageError{fmt.Errorf("--audience: %w", err)}
	}
	line, where := addedApp{}, serverOf(ctx, cfg)
	if line.HTML, err = snippets.HTML(where); err != nil {
		return err
	}
	if a.Snippet != "" {
		if line.Endpoint, err = snippets.Endpoint(a.Snippet, a.signing()); err != nil {
			return err
		}
	}
	publicKey, err := readPublicKey(a.PublicKey)
	if err != nil {
		return usageError{err}
	}
	asked := notifier.App{
		Name: a.Name, Origins: a.Origin, Audience: audience, Roles: a.Roles, MaxLife: a.MaxLife, Issuer: a.Issuer, JWKS: a.JWKS,
		AppPlaces: notifier.AppPlaces{Base: a.Base, InboxURL: a.InboxURL, SettingsURL: a.Settings}, AppLook: notifier.AppLook{Title: a.Title, Icon: a.Icon},
	}
	return c.withApps(ctx, cfg, func(apps *app.Apps) error {
		added, err := apps.Add(ctx, commandLine(), asked, publicKey)
		if errors.Is(err, notifier.ErrConflict) {
			return a.conflict(ctx, apps)
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
			a.explain(c, added.Name, where, line.HTML)
		}
		return err
	})
}

// explain prints the next steps, next to the lines for the environment.
func (a appAddCmd) explain(c *console, name, where, html string) {
	c.note("%s is added; the keys are not shown again", name)
	if a.Snippet == "" {
		c.note("put this into its pages; token-url is the address of its endpoint that signs tokens (--snippet prints one):\n%s", strings.TrimSuffix(html, "\n"))
	}
	if where == unknownServer {
		c.note("--public-url is not set, and no server answers at --addr: write the address of Carillon for %s", unknownServer)
	}
	if len(a.Origin) == 0 {
		c.note("no origin is given, so no page of %s can show the bell until there is one: carillon app set %s --origin https://…", name, name)
	}
}

// conflict returns the reason why the app cannot be added.
func (a appAddCmd) conflict(ctx context.Context, apps *app.Apps) error {
	all, _, err := apps.List(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		switch known := &all[i]; {
		case !known.RevokedAt.IsZero():
		case known.Name == a.Name:
			return fmt.Errorf("there is an application %q already: app set changes it, app rotate gives it a new token key, app revoke ends it", a.Name)
		case a.Issuer != "" && known.Issuer == a.Issuer:
			return fmt.Errorf("--issuer: %q is the issuer of the application %q", a.Issuer, known.Name)
		}
	}
	return fmt.Errorf("there are %d applications already: app revoke ends one", notifier.MaxApps)
}

// signing returns how the tokens of the app are signed.
func (a appAddCmd) signing() snippets.Signing {
	switch {
	case a.JWKS != "":
		return snippets.KeysElsewhere
	case a.PublicKey != "":
		return snippets.PublicKey
	}
	return snippets.SharedSecret
}

// unknownServer stands for the address of a server that the command cannot find.
const unknownServer = "https://ADDRESS-OF-CARILLON"

// serverOf returns the address of the server: its public URL, or --addr if a server answers there. A command may run
// next to a server with another address.
func serverOf(ctx context.Context, cfg config.Config) string {
	if cfg.PublicURL != nil {
		return cfg.PublicURL.String()
	}
	host, port, err := net.SplitHostPort(cfg.Addr)
	if err != nil {
		return unknownServer
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	server := "http://" + net.JoinHostPort(host, port)
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, server+"/embed/v1.js", http.NoBody)
	if err != nil {
		return unknownServer
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return unknownServer
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return unknownServer
	}
	return server
}
