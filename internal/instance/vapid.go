package instance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/doctor"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/push"
	"github.com/carillonhq/carillon/store"
)

// vapidSealed is the VAPID key.
var vapidSealed = sealed{name: "vapid", purpose: "carillon vapid key"}

// VAPIDPublic signs a token with the VAPID key and returns the key's public half. It changes nothing: if no
// server has made the key yet, the error is doctor.ErrNoVAPID.
func VAPIDPublic(ctx context.Context, cfg config.Config, db *store.Store) (string, error) {
	if _, err := os.Stat(config.KeyFile(cfg.DataDir)); cfg.Push.Key == "" && len(cfg.SessionKeys) == 0 && errors.Is(err, fs.ErrNotExist) {
		return "", doctor.ErrNoVAPID
	}
	key, _, err := vapidKey(ctx, cfg, db, func() ([]byte, error) { return nil, doctor.ErrNoVAPID })
	if err == nil {
		_, err = key.Authorization("https://push.example.com/", cfg.Push.Contact, time.Now())
	}
	if err != nil {
		return "", err
	}
	return key.Public()
}

// makeVAPIDKey returns the key by which push services identify this installation: the configured one, or the one in
// SQL, sealed under the session keys. The first call makes that, and one that was
// sealed under an older session key is sealed under the first one, so that the older one may be dropped next.
func makeVAPIDKey(ctx context.Context, cfg config.Config, db *store.Store) (push.Key, error) {
	key, again, err := vapidKey(ctx, cfg, db, func() ([]byte, error) {
		made, err := push.NewKey()
		if err != nil {
			return nil, err
		}
		text, err := made.Secret()
		return []byte(text), err
	})
	if err == nil && again != nil {
		err = again()
	}
	return key, err
}

// vapidKey returns the key, and how to seal it again if it is sealed under an older session key; nil: it is not.
func vapidKey(
	ctx context.Context, cfg config.Config, db *store.Store, fresh func() ([]byte, error),
) (key push.Key, again func() error, err error) {
	if cfg.Push.Key != "" {
		key, err = push.ParseKey(cfg.Push.Key)
		return key, nil, err
	}
	text, again, err := vapidSealed.open(ctx, cfg, db, fresh)
	switch {
	case errors.Is(err, app.ErrOtherKeys):
		return key, nil, fmt.Errorf("the VAPID key: %w: add those to --session-keys, or set --vapid-key", err)
	case err != nil:
		return key, nil, err
	}
	key, err = push.ParseKey(string(text))
	return key, again, err
}
