package handlers_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// appBook is apps and their keys, newest first.
type appBook struct {
	all   []notifier.App
	keys  []notifier.AppKey
	ring  *keyring // API keys
	audit *audit
	err   error
}

func (b *appBook) List(context.Context) ([]notifier.App, []notifier.AppKey, error) {
	return slices.Clone(b.all), slices.Clone(b.keys), b.err
}

func (b *appBook) Add(ctx context.Context, by notifier.Actor, a notifier.App, publicKey []byte) (added notifier.AddedApp, err error) {
	if b.err != nil {
		return added, b.err
	}
	if b.named(a.Name) >= 0 || slices.ContainsFunc(b.all, func(o notifier.App) bool { return a.JWKS != "" && o.JWKS != "" && o.Issuer == a.Issuer }) {
		return added, notifier.ErrConflict
	}
	a.ID, a.CreatedAt = int64(len(b.all)+1), noon
	added = notifier.AddedApp{App: a, APIKey: "ck_secret"}
	if a.JWKS == "" {
		if added.TokenKey, err = b.key(a.ID, publicKey); err != nil {
			return added, err
		}
	}
	b.all = append([]notifier.App{a}, b.all...)
	return added, b.record(ctx, by, "app.add", a.Name, "")
}

func (b *appBook) key(app int64, publicKey []byte) (string, error) {
	k := notifier.AppKey{ID: int64(len(b.keys) + 1), AppID: app, Alg: notifier.AlgHS256, CreatedAt: noon}
	if len(publicKey) > 0 {
		if string(publicKey) != "PEM\nPEM" {
			var bad notifier.InvalidError
			bad.Add("public_key", notifier.CodeBadAppKey, nil)
			return "", &bad
		}
		k.Alg = notifier.AlgES256
	}
	b.keys = append([]notifier.AppKey{k}, b.keys...)
	if k.Alg == notifier.AlgES256 {
		return k.Kid(), nil
	}
	return k.Kid() + ".secret", nil
}

// named returns the index of a valid app.
func (b *appBook) named(name string) int {
	return slices.IndexFunc(b.all, func(a notifier.App) bool { return a.Name == name && a.RevokedAt.IsZero() })
}

func (b *appBook) Rotate(ctx context.Context, by notifier.Actor, name string, publicKey []byte) (string, error) {
	if len(b.keys) >= notifier.MaxAppKeys {
		return "", notifier.ErrConflict
	}
	key, err := b.key(b.all[b.named(name)].ID, publicKey)
	if err != nil {
		return "", err
	}
	return key, b.record(ctx, by, "app.rotate", name, strconv.Itoa(len(b.keys)))
}

func (b *appBook) RotateAPIKey(ctx context.Context, by notifier.Actor, name string, _ time.Duration) (string, error) {
	app, valid := b.all[b.named(name)].ID, 0
	for _, k := range b.ring.all {
		if k.AppID == app && k.RevokedAt.IsZero() {
			valid++
		}
	}
	if valid >= notifier.MaxAppKeys {
		return "", notifier.ErrConflict
	}
	k := notifier.APIKey{ID: int64(len(b.ring.all) + 1), Name: name, AppID: app, CreatedAt: noon}
	b.ring.all = append([]notifier.APIKey{k}, b.ring.all...)
	return fmt.Sprint("ck_", k.ID), b.record(ctx, by, "app.rotate", name, fmt.Sprint("API key ", k.ID))
}

func (b *appBook) Revoke(ctx context.Context, by notifier.Actor, name string) (notifier.App, error) {
	i := b.named(name)
	b.all[i].RevokedAt = noon
	return b.all[i], b.record(ctx, by, "app.revoke", name, "")
}

func (b *appBook) RevokeKey(ctx context.Context, by notifier.Actor, name string, id int64) (notifier.App, error) {
	app := b.all[b.named(name)]
	for i := range b.keys {
		if k := &b.keys[i]; k.ID == id && k.AppID == app.ID && k.RevokedAt.IsZero() {
			k.RevokedAt = noon
			return app, b.record(ctx, by, "app.revoke", name, fmt.Sprint("key ", id))
		}
	}
	return app, notifier.ErrNotFound
}

func (b *appBook) record(ctx context.Context, by notifier.Actor, action, name, detail string) error {
	return b.audit.Audit(ctx, notifier.AuditEntry{Actor: by.Ref, Action: action, Object: notifier.AppRef(name), Detail: detail, Address: by.Address})
}

func (b *appBook) Change(ctx context.Context, by notifier.Actor, name string, change notifier.AppChange) (notifier.App, error) {
	i := b.named(name)
	if i < 0 {
		return notifier.App{}, notifier.ErrNotFound
	}
	a := b.all[i]
	a.MaxLife = max(a.MaxLife, notifier.MinTokenLife)
	change.Apply(&a)
	if err := a.Validate(map[notifier.Audience]string{2: "user", 3: "customer"}); err != nil {
		return a, err
	}
	b.all[i] = a
	return a, b.record(ctx, by, "app.change", name, change.String())
}
