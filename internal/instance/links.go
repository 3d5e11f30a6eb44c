package instance

import (
	"context"
	"net"
	"strings"

	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/store"
)

// linksBase returns how links of mails and pushes begin: the public URL, or the address on which the server listens.
func linksBase(cfg *config.Config) string {
	if cfg.PublicURL != nil {
		return strings.TrimSuffix(cfg.PublicURL.String(), "/")
	}
	host, port, err := net.SplitHostPort(cfg.Addr)
	if addr := net.ParseIP(host); err == nil && (host == "" || addr != nil && addr.IsUnspecified()) {
		return "http://" + net.JoinHostPort("localhost", port)
	}
	return "http://" + cfg.Addr
}

// linksFor returns the links for the reader of a message.
func (i *instance) linksFor(ctx context.Context, m *channels.Message) links.Links {
	r := links.Reader{Seq: m.User.Seq, Away: m.App != 0, Token: m.Target.Token}
	if a, known := i.tokens.App(ctx, m.App); known {
		r.Settings = a.SettingsURL
	}
	return i.links.For(r)
}

// places finds the pages on which users read notices.
type places struct {
	db   *store.Store
	apps *app.Verifier
}

// Of returns where a user reads a notice of this sender. It returns notifier.ErrNotFound for an unknown user.
func (p places) Of(ctx context.Context, seq int64, sender notifier.Ref) (handlers.Place, error) {
	reader, sending, err := p.db.ReaderApps(ctx, seq, sender)
	if err != nil {
		return handlers.Place{}, err
	}
	place := handlers.Place{Here: reader == 0}
	for _, id := range []int64{sending, reader} {
		if a, known := p.apps.App(ctx, id); known {
			place.Apps = append(place.Apps, a)
		}
	}
	return place, nil
}

// TokenUser returns the user of the target with this token, and the page of their app with their settings (empty: ours).
// It returns notifier.ErrNotFound for an unknown token.
func (p places) TokenUser(ctx context.Context, token string) (u notifier.User, settings string, err error) {
	u, id, err := p.db.TokenUser(ctx, token)
	if a, known := p.apps.App(ctx, id); err == nil && known {
		settings = a.SettingsURL
	}
	return u, settings, err
}
