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

const (
	vapidSecret = "vapid" // the name of the VAPID key in SQL
	vapidSealed = "carillon vapid key"
)

// VAPIDPublic signs a token with the VAPID key and returns the key's public half. It changes nothing: if no
// server has made the key yet, the error is doctor.ErrNoVAPID.
func VAPIDPublic(ctx context.Context, cfg config.Config, db *store.Store) (string, error) {
	if _, err := os.Stat(config.KeyFile(cfg.DataDir)); cfg.Push.Key == "" && len(cfg.SessionKeys) == 0 && errors.Is(err, fs.ErrNotExist) {
		return "", doctor.ErrNoVAPID
	}
	key, _, err := vapidKey(ctx, cfg, db, func(app.Sealer) ([]byte, error) { return nil, doctor.ErrNoVAPID })
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
	key, again, err := vapidKey(ctx, cfg, db, func(sealer app.Sealer) ([]byte, error) {
		made, err := push.NewKey()
		if err != nil {
			return nil, err
		}
		text, err := made.Secret()
		if err != nil {
			return nil, err
		}
		return sealer.Seal([]byte(text), vapidSecret)
	})
	if err == nil && again != nil {
		err = again()
	}
	return key, err
}

// vapidKey returns the key, and how to seal it again if it is sealed under an older session key; nil: it is not.
func vapidKey(
	ctx context.Context, cfg config.Config, db *store.Store, fresh func(app.Sealer) ([]byte, error),
) (key push.Key, again func() error, err error) {
	if cfg.Push.Key != "" {
		key, err = push.ParseKey(cfg.Push.Key)
		return key, nil, err
	}
	sessionKeys, err := cfg.SigningKeys()
	if err != nil {
		return key, nil, err
	}
	sealer, err := app.NewSealer(sessionKeys, vapidSealed)
	if err != nil {
		return key, nil, err
	}
	stored, err := db.Secret(ctx, vapidSecret, func() ([]byte, error) { return fresh(sealer) })
	if err != nil {
		return key, nil, err
	}
	text, first, err := sealer.Open(stored, vapidSecret)
	if err != nil {
		return key, nil, fmt.Errorf("the VAPID key: %w: add those to --session-keys, or set --vapid-key", err)
	}
	if !first {
		again = func() error {
			sealed, err := sealer.Seal(text, vapidSecret)
			if err != nil {
				return err
			}
			return db.ReplaceSecret(ctx, vapidSecret, stored, sealed)
		}
	}
	key, err = push.ParseKey(string(text))
	return key, again, err
}
