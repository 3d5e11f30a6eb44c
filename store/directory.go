package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// CreateUser adds one user under the next number. It answers
// notifier.ErrConflict when the name is taken, a *notifier.InvalidError that
// names every fault of u, or notifier.ErrFull when no user number is left up
// to Config.MaxSeq: the error around it names both.
func (s *Store) CreateUser(ctx context.Context, u NewUser) (notifier.User, error) {
	if err := u.check(); err != nil {
		return notifier.User{}, err
	}
	rows := []userRow{{NewUser: u, fold: fold(u.Name), created: millis(s.now())}}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		roles := roleIDs{}
		taken, err := s.addUsers(ctx, tx, rows, roles)
		if err == nil && taken >= 0 {
			err = notifier.ErrConflict
		}
		return err
	})
	if err != nil {
		return notifier.User{}, s.fail(err, "add user %q", u.Name)
	}
	return rows[0].user(), nil
}

// SetPassword replaces a user's password hash and ends all his sessions.
func (s *Store) SetPassword(ctx context.Context, name, hash string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		var seq int64
		err := tx.QueryRowContext(ctx, `UPDATE users SET password_hash = $1 WHERE name = $2 RETURNING seq`,
			hash, valid(name)).Scan(&seq)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE seq = $1`, seq)
		return err
	})
	return s.fail(err, "set the password of user %q", name)
}

// SetSettings keeps what a user has chosen, all of it. An unknown seq is
// notifier.ErrNotFound.
func (s *Store) SetSettings(ctx context.Context, seq int64, set notifier.Settings) error {
	n, err := s.exec(ctx, `UPDATE users SET locale = $1, theme = $2, keys = $3, toasts = $4 WHERE seq = $5`,
		valid(set.Locale), valid(set.Theme), !set.KeysOff, !set.ToastsOff, seq)
	if err == nil && n == 0 {
		err = notifier.ErrNotFound
	}
	return s.fail(err, "keep the settings of user %d", seq)
}

// Credentials returns a user with his password hash, which is empty when he has
// none.
func (s *Store) Credentials(ctx context.Context, name string) (u notifier.User, hash string, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT password_hash FROM users WHERE name = $1`, valid(name)).Scan(&hash)
	if err == nil {
		u, err = s.oneUser(ctx, `u.name = $1`, name)
	}
	if err != nil {
		return notifier.User{}, "", s.fail(err, "read the credentials of a user") // logged: without his name
	}
	return u, hash, nil
}

// UserByName returns one user, or notifier.ErrNotFound.
func (s *Store) UserByName(ctx context.Context, name string) (notifier.User, error) {
	u, err := only(gatherUsers(s.ready.user.QueryContext(ctx, valid(name))))
	return u, s.fail(err, "read a user by name")
}

// UserBySeq returns one user, or notifier.ErrNotFound.
func (s *Store) UserBySeq(ctx context.Context, seq int64) (notifier.User, error) {
	u, err := s.oneUser(ctx, `u.seq = $1`, seq)
	return u, s.fail(err, "read user %d", seq)
}

// SeqsByName returns the number of each name, and the names that nobody bears
// in the order given, once each.
func (s *Store) SeqsByName(ctx context.Context, names []string) (seqs map[string]int64, unknown []string, err error) {
	seqs = make(map[string]int64, len(names))
	askable := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !notifier.ValidName(n) })
	known := func(rows *sql.Rows) error {
		var name string
		var seq int64
		err := rows.Scan(&name, &seq)
		seqs[name] = seq
		return err
	}
	for part := range slices.Chunk(askable, listSize) {
		if err := ask(ctx, s.ready.names, known, s.dialect.textList(part)); err != nil {
			return nil, nil, s.fail(err, "look up %d users by name", len(names))
		}
	}
	told := make(map[string]bool)
	for _, name := range names {
		if _, known := seqs[name]; !known && !told[name] {
			told[name] = true
			unknown = append(unknown, name)
		}
	}
	return seqs, unknown, nil
}

// NamesBySeq returns the name of each number that a user has.
func (s *Store) NamesBySeq(ctx context.Context, seqs []int64) (map[int64]string, error) {
	names := make(map[int64]string, len(seqs))
	for part := range slices.Chunk(seqs, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var name string
			var seq int64
			err := rows.Scan(&seq, &name)
			names[seq] = name
			return err
		}, `SELECT seq, name FROM users WHERE `+s.dialect.within("seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "look up %d users by number", len(seqs))
		}
	}
	return names, nil
}

// listSize is how many values one statement looks up.
const listSize = 10_000

// addUsers gives rows their numbers and inserts them with their roles. taken is
// the index of the first row whose name is borne already, or -1.
func (s *Store) addUsers(ctx context.Context, tx *sql.Tx, rows []userRow, roles roleIDs) (taken int, err error) {
	// The counter's row is locked until the end of the transaction, so that
	// numbers are dense: who fails gives his back before anybody else takes one.
	var last int64
	err = tx.QueryRowContext(ctx, `UPDATE sequences SET value = value + $1 WHERE name = 'user' RETURNING value`,
		len(rows)).Scan(&last)
	if err != nil {
		return -1, fmt.Errorf("take a user number: %w", err)
	}
	first := last - int64(len(rows)) + 1
	if last > s.maxSeq {
		return -1, fmt.Errorf("%w, whose number %d would be above the highest allowed, %d (--max-seq)", notifier.ErrFull, max(first, s.maxSeq+1), s.maxSeq)
	}
	for i := range rows {
		rows[i].seq = first + int64(i)
	}
	taken, err = s.dialect.addUsers(ctx, tx, rows)
	if err != nil || taken >= 0 {
		return taken, err
	}
	return -1, s.addMembers(ctx, tx, rows, roles)
}

// valid makes a name safe to ask for: one that no user can bear becomes the
// empty name, which no user bears either. PostgreSQL would refuse its bytes.
func valid(name string) string {
	if !notifier.ValidName(name) {
		return ""
	}
	return name
}
