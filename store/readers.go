package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// readerApp selects the app on whose pages a user, named u, reads notices: the one that brought them, unless they can
// sign in here; 0: none.
const readerApp = `CASE WHEN u.password_hash = '' AND NOT u.signs_in THEN u.app_id ELSE 0 END`

// SendingApps returns the names of the apps whose keys have sent these notices, by notice. A notice of anybody else is left
// out.
func (s *Store) SendingApps(ctx context.Context, notices []int64) (map[int64]string, error) {
	found := map[int64]string{}
	for part := range slices.Chunk(notices, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id int64
			var name string
			err := rows.Scan(&id, &name)
			found[id] = name
			return err
		}, `SELECT n.id, a.name FROM notices n JOIN apps a ON a.id = (SELECT app_id FROM api_keys WHERE name = n.sender_id ORDER BY id DESC LIMIT 1)
			WHERE n.sender_kind = 'key' AND `+s.dialect.within("n.id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "find the apps of %d notices", len(notices))
		}
	}
	return found, nil
}

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
