package instance

import (
	"context"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/store"
)

// sealed identifies a secret of the installation, which is in SQL, sealed under the session keys.
type sealed struct {
	name    string // in SQL
	purpose string // of the key that seals it
}

// open returns the secret. If there is none, it stores what fresh returns. again seals it under the first session key, so that
// the older one that it is sealed under may be dropped; nil: it is. If no session key opens it, the error is app.ErrOtherKeys.
func (s sealed) open(
	ctx context.Context, cfg config.Config, db *store.Store, fresh func() ([]byte, error),
) (text []byte, again func() error, err error) {
	sessionKeys, err := cfg.SigningKeys()
	if err != nil {
		return nil, nil, err
	}
	sealer, err := app.NewSealer(sessionKeys, s.purpose)
	if err != nil {
		return nil, nil, err
	}
	stored, err := db.Secret(ctx, s.name, func() ([]byte, error) {
		made, err := fresh()
		if err != nil {
			return nil, err
		}
		return sealer.Seal(made, s.name)
	})
	if err != nil {
		return nil, nil, err
	}
	text, first, err := sealer.Open(stored, s.name)
	if err == nil && !first {
		again = func() error {
			renewed, err := sealer.Seal(text, s.name)
			if err != nil {
				return err
			}
			return db.ReplaceSecret(ctx, s.name, stored, renewed)
		}
	}
	return text, again, err
}
