package instance

import (
	"log/slog"
	"net/http"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

// NewApps makes the changes of apps, for a server or a command. changed is called after each; a command has none.
func NewApps(cfg config.Config, db *store.Store, changed func()) (*app.Apps, error) {
	keys, err := cfg.SigningKeys()
	if err != nil {
		return nil, err
	}
	return app.New(app.Config{Store: db, Audiences: cfg.Audiences, ImageHosts: cfg.ImageHosts, SessionKeys: keys, Changed: changed})
}

// NewVerifier makes the verification of apps' tokens, for a server or a command.
func NewVerifier(cfg config.Config, db *store.Store, log *slog.Logger) (*app.Verifier, error) {
	keys, err := cfg.SigningKeys()
	if err != nil {
		return nil, err
	}
	return app.NewVerifier(app.VerifierConfig{Store: db, Audiences: cfg.Audiences, SessionKeys: keys, PublicURL: publicURL(cfg), HTTP: &http.Client{Transport: outboundTransport(&cfg)}, Log: log})
}

// publicURL returns how browsers reach the server; empty if that is not configured.
func publicURL(cfg config.Config) string {
	if cfg.PublicURL == nil {
		return ""
	}
	return cfg.PublicURL.String()
}
