package handlers_test

import (
	"crypto/sha256"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// newKey creates API keys: ck_secret1, ck_secret2 and so on.
func (d *databases) newKey() (token string, hash []byte) {
	d.keys++
	token = "ck_secret" + strconv.Itoa(d.keys)
	sum := sha256.Sum256([]byte(token))
	return token, sum[:]
}

// haveApp adds an app and returns it with its keys.
func (d *databases) haveApp(a notifier.App) notifier.AddedApp {
	d.t.Helper()
	if a.MaxLife == 0 {
		a.MaxLife = time.Hour
	}
	added, err := d.apps.Add(d.t.Context(), byStaff, a, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	return added
}

// allApps lists all apps with their keys, newest first.
func (d *databases) allApps() ([]notifier.App, []notifier.AppKey) {
	d.t.Helper()
	all, keys, err := d.apps.List(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return all, keys
}

// allKeys lists all API keys, newest first.
func (d *databases) allKeys() []notifier.APIKey {
	d.t.Helper()
	all, err := d.db.Keys(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// readsAt adds an app called shop with these pages and signs alice in through it, so that she reads notices there.
func (d *databases) readsAt(places notifier.AppPlaces) {
	d.t.Helper()
	added := d.haveApp(notifier.App{Name: "shop", Audience: 3, AppPlaces: places})
	if _, _, _, err := d.db.Arrive(d.t.Context(), &notifier.UserToken{App: added.App, Subject: alice.Name, IssuedAt: noon}); err != nil {
		d.t.Fatal(err)
	}
}
