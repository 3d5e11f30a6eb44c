package instance

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/store"
)

// receiptKeys are the keys of receipts.
var receiptKeys = sealed{name: "receipts", purpose: "carillon receipt keys"}

// makeReceipts returns the receipts of this installation; nil if their keys were sealed under other session keys: everything else
// works without them.
func (i *instance) makeReceipts(ctx context.Context) (*ask.Receipts, error) {
	r, err := NewReceipts(ctx, i.cfg, i.db)
	if errors.Is(err, app.ErrOtherKeys) {
		i.log.ErrorContext(ctx, "questions have no receipts", "stage", "ask", "err", err)
		return nil, nil
	}
	return r, err
}

// NewReceipts returns the receipts of this installation. Their keys are in SQL, sealed under the session keys. The first call makes
// them; keys that were sealed under an older session key are sealed under the first one, so that the older one may be dropped next.
func NewReceipts(ctx context.Context, cfg config.Config, db *store.Store) (*ask.Receipts, error) {
	text, again, err := receiptKeys.open(ctx, cfg, db, ask.NewReceiptKeys)
	if errors.Is(err, app.ErrOtherKeys) {
		return nil, fmt.Errorf("the keys of receipts: %w: add those to --session-keys", err)
	}
	if err == nil && again != nil {
		err = again()
	}
	if err != nil {
		return nil, err
	}
	return ask.ParseReceiptKeys(text)
}
