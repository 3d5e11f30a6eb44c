package instance

import (
	"context"
	"net"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/links"
	"github.com/carillonhq/carillon/notifier/channels"
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
