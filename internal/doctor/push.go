package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
)

// ErrNoVAPID means that there is no VAPID key yet.
var ErrNoVAPID = errors.New("no VAPID key yet")

// push examines the key that identifies this installation to push services.
func (e *examination) push(ctx context.Context, cfg *config.Config, vapid func(context.Context) (string, error)) {
	if cfg.Push == nil {
		return
	}
	switch public, err := vapid(ctx); {
	case errors.Is(err, ErrNoVAPID):
		e.note("push", "no VAPID key yet", "the first start of a server makes one")
	case err != nil:
		e.fail("push", err.Error(), "until then devices get no messages, and none can be added")
	case !reachable(cfg.Push.Contact) && !cfg.Local(): // a trial on one machine needs no contact
		e.fail("push", fmt.Sprintf("the contact %s is not a public address: Apple refuses each push with BadJwtToken", cfg.Push.Contact),
			"set --push-contact to an address that reaches you, such as mailto:ops@your-domain, or an https --public-url with a public host name")
	default:
		e.ok("push", "the VAPID key signs; its public half is %s, the contact %s", public, cfg.Push.Contact)
	}
}

// reachable reports whether the operators of push services could reach a contact: it has a public host.
func reachable(contact string) bool {
	u, err := url.Parse(contact)
	if err != nil {
		return false
	}
	host := u.Hostname()
	if u.Scheme == "mailto" {
		address, _ := url.PathUnescape(u.Opaque)
		host = address[strings.LastIndexByte(address, '@')+1:]
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, err := netip.ParseAddr(strings.TrimPrefix(host, "ipv6:")); err == nil || !strings.Contains(host, ".") {
		return false
	}
	// The names reserved by RFC 2606, 6761 and 6762, and the names of private networks.
	for _, end := range []string{"localhost", "local", "invalid", "test", "example", "internal", "lan", "localdomain", "home.arpa"} {
		if strings.HasSuffix(host, "."+end) {
			return false
		}
	}
	return true
}
