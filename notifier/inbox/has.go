package inbox

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/notifier"
)

// Has reports whether the user has the row of a notice, in the inbox, archived or snoozed. A row with the key that belongs
// to another notice is not it.
func (b *Inbox) Has(ctx context.Context, seq int64, key string, noticeID int64) (bool, error) {
	e, err := b.Find(ctx, seq, key, 0)
	switch {
	case err == nil:
		return e.NoticeID == noticeID, nil
	case !errors.Is(err, notifier.ErrNotFound):
		return false, err
	}
	rows, _, err := b.archived(ctx, seq)
	if err != nil {
		return false, fmt.Errorf("find an archived entry of user %d: %w", seq, err)
	}
	now := b.millis()
	for i := range rows {
		if r := &rows[i]; r.Key == key {
			return r.NoticeID == noticeID && r.Visible(now), nil
		}
	}
	return false, nil
}
