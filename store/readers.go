package store

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// readerApp selects the app on whose pages a user, named u, reads notices: the one that brought them, unless they can
// sign in here; 0: none.
const readerApp = `CASE WHEN u.password_hash = '' AND NOT u.signs_in THEN u.app_id ELSE 0 END`

// ReaderApps returns the app on whose pages a user reads notices (0: on ours), and the app whose key has sent a notice
// (0: none). It returns notifier.ErrNotFound for an unknown user.
func (s *Store) ReaderApps(ctx context.Context, seq int64, sender notifier.Ref) (reader, sending int64, err error) {
	key := ""
	if sender.Kind == notifier.KindKey {
		key = sender.ID
	}
	err = s.read.QueryRowContext(ctx, `SELECT `+readerApp+`, COALESCE((SELECT app_id FROM api_keys WHERE name = $1 ORDER BY id DESC LIMIT 1), 0)
		FROM users u WHERE u.seq = $2`, key, seq).Scan(&reader, &sending)
	return reader, sending, s.fail(err, "find the app of user %d", seq)
}
