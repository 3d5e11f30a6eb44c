package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// NoticeOf returns the id of the notice whose row with this key the user has, in the inbox, archived or snoozed;
// notifier.ErrNotFound if they have none.
func (b *Inbox) NoticeOf(ctx context.Context, seq int64, key string) (int64, error) {
	e, err := b.Find(ctx, seq, key, 0)
	if !errors.Is(err, notifier.ErrNotFound) {
		return e.NoticeID, err
	}
	rows, _, err := b.archived(ctx, seq)
	if err != nil {
		return 0, fmt.Errorf("find an archived entry of user %d: %w", seq, err)
	}
	now := b.millis()
	for i := range rows {
		if r := &rows[i]; r.Key == key && r.Visible(now) {
			return r.NoticeID, nil
		}
	}
	return 0, notifier.ErrNotFound
}
