package store

import (
	"context"
	"database/sql"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// SetMute mutes or unmutes a type of notice for a user; repeating it changes nothing. It returns a
// *notifier.InvalidError for an invalid type and for one type more than notifier.MaxMutes, and
// notifier.ErrNotFound for an unknown seq.
func (s *Store) SetMute(ctx context.Context, seq int64, typ string, muted bool) error {
	if !notifier.ValidType(typ) {
		return invalidMute(notifier.CodeBadType, nil)
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		// Lock the user's row, so that two concurrent mutes do not count the same number.
		var known int64
		err := tx.QueryRowContext(ctx, `UPDATE users SET seq = seq WHERE seq = $1 RETURNING seq`, seq).Scan(&known)
		if err != nil {
			return err
		}
		if err := s.noteChange(ctx, tx, seq, false); err != nil {
			return err
		}
		if err := s.emitUser(ctx, tx, notifier.EventPreferencesChanged, seq); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM type_wants WHERE seq = $1 AND type = $2 AND kind = 'inbox'`, seq, typ); err != nil {
			return err
		}
		if !muted {
			_, err := tx.ExecContext(ctx, `DELETE FROM mutes WHERE seq = $1 AND type = $2`, seq, typ)
			return err
		}
		var others int
		err = tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM mutes WHERE seq = $1 AND type <> $2`, seq, typ).Scan(&others)
		if err != nil {
			return err
		}
		if others >= notifier.MaxMutes {
			return invalidMute(notifier.CodeTooManyMutes, map[string]any{"Max": notifier.MaxMutes})
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO mutes (type, seq) VALUES ($1, $2) ON CONFLICT DO NOTHING`, typ, seq)
		return err
	})
	return s.fail(err, "mute a type of notice for user %d", seq)
}

func invalidMute(code string, params map[string]any) error {
	var bad notifier.InvalidError
	bad.Add("type", code, params)
	return &bad
}

// Mutes lists the types that a user has muted, by name.
func (s *Store) Mutes(ctx context.Context, seq int64) ([]string, error) {
	var types []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var typ string
		err := rows.Scan(&typ)
		types = append(types, typ)
		return err
	}, `SELECT type FROM mutes WHERE seq = $1 ORDER BY type`, seq)
	return types, s.fail(err, "list the muted types of user %d", seq)
}

// fewUsers is the number of users up to which MutedBy looks each of them up.
const fewUsers = 1000

// Addressees returns the number of each known name, and the users among them who have muted a type of
// notice; for an empty type, none have.
func (s *Store) Addressees(ctx context.Context, typ string, names []string) (seqs map[string]int64, muted *roaring.Bitmap, err error) {
	seqs, muted = make(map[string]int64, len(names)), roaring.New()
	askable := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return !notifier.ValidName(n) })
	add := func(rows *sql.Rows) error {
		var name string
		var seq uint32
		var mutes bool
		err := rows.Scan(&name, &seq, &mutes)
		seqs[name] = int64(seq)
		if mutes {
			muted.Add(seq)
		}
		return err
	}
	for part := range slices.Chunk(askable, listSize) {
		if err := s.ask(ctx, s.ready.named, add, text(typ), s.dialect.textList(part)); err != nil {
			return nil, nil, s.fail(err, "look up %d users by name", len(names))
		}
	}
	return seqs, muted, nil
}

// MutedBy returns those users in among who have muted a type of notice. It runs a single statement
// for any number of users, and reads at most the mutes of that type between the lowest and the
// highest user number.
func (s *Store) MutedBy(ctx context.Context, typ string, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	who := roaring.New()
	if among.IsEmpty() || !notifier.ValidType(typ) {
		return who, nil
	}
	add := func(rows *sql.Rows) error {
		var seq uint32
		err := rows.Scan(&seq)
		who.Add(seq)
		return err
	}
	var err error
	if few := among.GetCardinality(); few <= fewUsers {
		seqs := make([]int64, 0, few)
		for seq := range roaring.Values(among) {
			seqs = append(seqs, int64(seq))
		}
		err = s.ask(ctx, s.ready.muted, add, typ, s.dialect.numberList(seqs))
	} else {
		err = s.all(ctx, add, `SELECT seq FROM mutes WHERE type = $1 AND seq BETWEEN $2 AND $3`,
			typ, int64(among.Minimum()), int64(among.Maximum()))
	}
	if err != nil {
		return nil, s.fail(err, "read the users who have muted a type")
	}
	who.And(among)
	return who, nil
}
