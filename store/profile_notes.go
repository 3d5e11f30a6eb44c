package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// putNotes merges newer notes into those of a user's profile. Only a change is written and logged, so that a profile that
// is sent again and again is logged once.
func (s *Store) putNotes(ctx context.Context, tx *sql.Tx, had *notifier.User, newer notifier.ProfileNotes) error {
	old := notifier.ParseProfileNotes(had.Notes)
	notes := old.After(newer).String()
	if notes == had.Notes {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `UPDATE users SET profile_notes = $1 WHERE seq = $2`, notes, had.Seq); err != nil {
		return err
	}
	if err := s.noteChange(ctx, tx, had.Seq, false); err != nil {
		return err
	}
	if notes != "" && s.noted != nil {
		s.noted(ctx, had.Seq, notes)
	}
	return nil
}

// putNotes returns the notes of a call of the API, which refuses values that are not right.
func putNotes(u *notifier.PutUser) (n notifier.ProfileNotes) {
	if u.Email != nil {
		n.Email = notifier.Kept
	}
	if u.Locale != nil {
		n.Locale = notifier.Kept
	}
	return n
}
