package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// EnsureTypes creates types of notices that do not exist yet. Existing types are not changed.
// It returns a *notifier.InvalidError on type for an invalid type.
func (s *Store) EnsureTypes(ctx context.Context, slugs []string) error {
	wanted := slices.Compact(slices.Sorted(slices.Values(slugs))) // in a fixed order, so that concurrent calls do not deadlock
	for _, slug := range wanted {
		if !notifier.ValidType(slug) {
			var bad notifier.InvalidError
			bad.Add("type", notifier.CodeBadType, nil)
			return &bad
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	known := make(map[string]bool, len(wanted))
	err := s.all(ctx, func(rows *sql.Rows) error {
		var slug string
		err := rows.Scan(&slug)
		known[slug] = true
		return err
	}, `SELECT slug FROM notice_types WHERE `+s.dialect.within("slug", 1), s.dialect.textList(wanted))
	if err != nil {
		return s.fail(err, "look up %d types", len(wanted))
	}
	wanted = slices.DeleteFunc(wanted, func(slug string) bool { return known[slug] })
	if len(wanted) == 0 {
		return nil
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		for _, slug := range wanted {
			if err := s.ensureType(ctx, tx, slug); err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "create %d types", len(wanted))
}

func (s *Store) ensureType(ctx context.Context, tx *sql.Tx, slug string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO notice_types (slug, created_at) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING`,
		slug, millis(s.now()))
	if err != nil {
		return fmt.Errorf("create type %s: %w", slug, err)
	}
	return nil
}

// Types lists all known types, ordered by slug.
func (s *Store) Types(ctx context.Context) ([]notifier.NoticeType, error) {
	var types []notifier.NoticeType
	err := s.all(ctx, func(rows *sql.Rows) error {
		var t notifier.NoticeType
		var names string
		var expires, created int64
		if err := rows.Scan(&t.Slug, &names, &expires, &t.NoMute, &t.Open, &t.Icon, &t.Color, &t.Urgent, &t.NoPush, &t.NoMail, &created); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(names), &t.Names); err != nil {
			return fmt.Errorf("read the names of type %s: %w", t.Slug, err)
		}
		if len(t.Names) == 0 {
			t.Names = nil
		}
		t.ExpiresIn, t.CreatedAt = time.Duration(expires)*time.Millisecond, fromMillis(created)
		types = append(types, t)
		return nil
	}, `SELECT slug, names, expires_in, no_mute, open, icon, color, urgent, NOT push, NOT mail, created_at FROM notice_types ORDER BY slug`)
	return types, s.fail(err, "list the types of notices")
}

// SaveType creates a type or replaces its description; CreatedAt stays the time of its first use.
// Empty names are dropped. It returns a *notifier.InvalidError for invalid fields, except for an
// ExpiresIn beyond the retention of notices, which the caller must check.
func (s *Store) SaveType(ctx context.Context, by notifier.Actor, t notifier.NoticeType) error {
	if err := t.Validate(math.MaxInt64); err != nil {
		return err
	}
	given := make(map[string]string, len(t.Names))
	for lang, name := range t.Names {
		if name != "" {
			given[text(lang)] = name
		}
	}
	names, err := json.Marshal(given)
	if err != nil {
		return fmt.Errorf("encode the names of type %s: %w", t.Slug, err)
	}
	err = s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO notice_types (slug, names, expires_in, no_mute, open, icon, color, urgent, push, mail, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (slug) DO UPDATE SET names = excluded.names,
			expires_in = excluded.expires_in, no_mute = excluded.no_mute, open = excluded.open, icon = excluded.icon, color = excluded.color,
			urgent = excluded.urgent, push = excluded.push, mail = excluded.mail`,
			t.Slug, string(names), t.ExpiresIn.Milliseconds(), t.NoMute, t.Open, t.Icon, t.Color, t.Urgent, !t.NoPush, !t.NoMail, millis(s.now()))
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "type.save", notifier.TypeRef(t.Slug), "")
	})
	return s.fail(err, "save type %s", t.Slug)
}

// DeleteType deletes a type; its next use creates it again. It returns notifier.ErrNotFound for an
// unknown type and notifier.ErrConflict for one with subscriptions.
func (s *Store) DeleteType(ctx context.Context, by notifier.Actor, slug string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := lockSubscriptions(ctx, tx, 0); err != nil {
			return err
		}
		var wanted bool
		err := tx.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM subscriptions WHERE type = $1)`, text(slug)).Scan(&wanted)
		switch {
		case err != nil:
			return err
		case wanted:
			return notifier.ErrConflict
		}
		n, err := change(ctx, tx, `DELETE FROM notice_types WHERE slug = $1`, text(slug))
		if err == nil && n == 0 {
			err = notifier.ErrNotFound
		}
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "type.delete", notifier.TypeRef(slug), "")
	})
	return s.fail(err, "delete type %q", slug)
}

// DeleteUndescribed deletes the types that exist only because they were used: they have no name, no
// settings of their own and no subscriptions. It returns their number.
func (s *Store) DeleteUndescribed(ctx context.Context, by notifier.Actor) (n int64, err error) {
	err = s.tx(ctx, func(tx *sql.Tx) error {
		if _, err := lockSubscriptions(ctx, tx, 0); err != nil {
			return err
		}
		n, err = change(ctx, tx, `DELETE FROM notice_types WHERE names = '{}' AND expires_in = 0 AND NOT no_mute AND NOT open AND icon = '' AND color = ''
				AND NOT urgent AND push AND mail
			AND NOT EXISTS (SELECT 1 FROM subscriptions WHERE subscriptions.type = notice_types.slug)`)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "type.tidy", notifier.Ref{}, strconv.FormatInt(n, 10))
	})
	return n, s.fail(err, "delete the undescribed types")
}
