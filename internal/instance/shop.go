package instance

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/internal/demo"
	"github.com/carillonhq/carillon/internal/demo/shop"
	"github.com/carillonhq/carillon/notifier"
)

// listenShop prepares the application of the demonstration, at an origin of its own: the port after
// the port of the pages, or any other one if it is in use.
func (i *instance) listenShop(ctx context.Context) (func() error, error) {
	if !i.demo {
		return nil, nil
	}
	key, err := i.shopKey(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare the application of the demonstration: %w", err)
	}
	sender, err := i.db.UserByName(ctx, demo.Sender)
	if err != nil {
		return nil, fmt.Errorf("find the sender of the demonstration: %w", err)
	}
	h, err := shop.New(shop.Config{
		Server: i.at.URL, TokenKey: key, Audiences: i.cfg.AudienceNumbers(), Now: time.Now,
		Send: func(ctx context.Context, d notifier.Draft) error {
			d.Sender = notifier.UserRef(sender)
			sure, err := i.notices.Confirm(ctx, d)
			if err == nil {
				_, err = i.notices.Send(ctx, notifier.Actor{Ref: d.Sender}, sure, nil)
			}
			return err
		},
		Toast: func(ctx context.Context, d notifier.Draft) error {
			d.Sender = notifier.UserRef(sender)
			_, _, err := i.notices.SendToast(ctx, d, nil)
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	i.shop = server(h, i.log)
	host, port, err := net.SplitHostPort(i.at.Addr)
	if err != nil {
		return nil, fmt.Errorf("read the address of the pages: %w", err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		return nil, fmt.Errorf("read the port of the pages: %w", err)
	}
	at, err := i.listenOn(ctx, i.shop, net.JoinHostPort(host, strconv.Itoa(n+1)))
	if err != nil {
		at, err = i.listenOn(ctx, i.shop, net.JoinHostPort(host, "0"))
	}
	if err != nil {
		return nil, err
	}
	i.at.Shop = "http://" + at + shop.Path
	return i.shop.Close, nil
}

func (i *instance) serveShop(ctx context.Context) (func() error, error) {
	if i.shop == nil {
		return nil, nil
	}
	return i.serve(ctx, i.shop)
}

// shopApp is the name of the app of the demonstration.
const shopApp = "harbour-goods"

// shopKey returns a new token key of the shop's app, which is added at the first start. The keys of
// earlier starts are revoked, but for one: another instance may have just begun.
func (i *instance) shopKey(ctx context.Context) (string, error) {
	apps, err := NewApps(i.cfg, i.db, i.tokens.Changed)
	if err != nil {
		return "", err
	}
	all, keys, err := apps.List(ctx)
	if err != nil {
		return "", err
	}
	by := notifier.Actor{Ref: notifier.CommandRef("serve --demo")}
	at := slices.IndexFunc(all, func(a notifier.App) bool { return a.Name == shopApp && a.RevokedAt.IsZero() })
	if at < 0 {
		audiences := i.cfg.AudienceNumbers()
		added, err := apps.Add(ctx, by, notifier.App{Name: shopApp, Audience: audiences[len(audiences)-1], MaxLife: time.Hour}, nil)
		return added.TokenKey, err
	}
	var old []int64
	for _, k := range keys {
		if k.AppID == all[at].ID && k.RevokedAt.IsZero() {
			old = append(old, k.ID)
		}
	}
	slices.Sort(old)
	for _, id := range old[:max(len(old)-1, 0)] {
		if _, err := apps.RevokeKey(ctx, by, shopApp, id); err != nil {
			return "", err
		}
	}
	return apps.Rotate(ctx, by, shopApp, nil)
}
