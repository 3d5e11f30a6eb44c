package instance

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/views/locale"
)

const (
	pushLines = 32 // messages that are sent at a time
	dialWait  = 5 * time.Second
	pushPause = 10 * time.Minute // after a push service has refused several users in a row
	pushRest  = 30 * time.Second // after a push service did not answer: others need not wait for it meanwhile
)

// pushWay returns how messages are sent to devices. There is none if push is off, or its key cannot be read:
// everything else works without it.
func (i *instance) pushWay(ctx context.Context, texts *locale.Catalogue) ([]channels.Way, error) {
	if i.cfg.Push == nil {
		return nil, nil
	}
	key, err := makeVAPIDKey(ctx, i.cfg, i.db)
	if errors.Is(err, app.ErrOtherKeys) {
		i.log.ErrorContext(ctx, "push is off", "stage", "channels", "err", err)
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("prepare push: %w", err)
	}
	public, err := key.Public()
	if err != nil {
		return nil, fmt.Errorf("prepare push: %w", err)
	}
	teller := pushTeller{
		sender: &push.Sender{Key: key, Contact: i.cfg.Push.Contact, Client: i.pushClient(), Now: time.Now},
		texts:  texts, types: i.topics, announcements: i.announcements, links: i.linksFor, apps: i.tokens.Look, imageHosts: i.cfg.ImageHosts, log: i.log,
	}
	i.devices = &devices{Store: i.db, hosts: i.cfg.Push.Hosts, key: public, teller: teller}
	return []channels.Way{{
		Kind: notifier.ReachPush, Sender: teller, Parallel: pushLines, Service: func(t *notifier.ReachTarget) string { return push.Origin(t.Address) },
		Refusing: channels.Pauses{First: pushPause, Last: pushPause}, Unreachable: channels.Pauses{First: pushRest, Last: pushRest},
	}}, nil
}

// pushClient returns the client of push services.
func (i *instance) pushClient() *http.Client {
	client := push.NewClient(nil)
	client.Transport = outboundTransport(&i.cfg)
	return client
}

// outboundTransport reaches public addresses and those that the operator allows, for everything that somebody else has
// named: push services and the keys of apps. With a proxy, it is the proxy that decides.
func outboundTransport(cfg *config.Config) *http.Transport {
	return outbound.Dialer{Allow: cfg.OutboundAllow, Timeout: dialWait}.Transport(cfg.OutboundProxy)
}
