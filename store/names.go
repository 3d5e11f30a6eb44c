package store

import (
	"bytes"
	"context"
	"database/sql"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/carillonhq/carillon/notifier"
)

// FindUsers returns up to limit users for a typed part of a name: first users whose name begins with
// it, sorted by name; then users whose display name has a word that begins with it; then users whose
// name contains it elsewhere: those with the lowest numbers, sorted by name. Case is
// ignored.
func (s *Store) FindUsers(ctx context.Context, part string, limit int) ([]notifier.User, error) {
	found, err := s.Users(ctx, notifier.UserQuery{Prefix: part, Limit: limit})
	if err != nil || len(found) >= limit || part == "" {
		return found, err
	}
	others, err := s.called(ctx, fold(text(part)), limit)
	if err != nil {
		return nil, s.fail(err, "find users by their name for people")
	}
	more, err := s.containing(ctx, part, limit)
	for _, u := range append(others, more...) {
		twice := slices.ContainsFunc(found, func(has notifier.User) bool { return has.Seq == u.Seq })
		if len(found) < limit && !twice {
			found = append(found, u)
		}
	}
	return found, s.fail(err, "find users by part of their name")
}

// maxCalled is the maximum number of display names searched for later words. Only the beginnings of names have
// an index.
const maxCalled = 100_000

const (
	calledFirst = `WHERE u.display_fold <> '' AND u.display_fold >= $1 AND u.display_fold < $2 ORDER BY u.display_fold, u.name LIMIT $3`
	calledLater = `WHERE u.seq IN (SELECT seq FROM (SELECT seq, display_fold FROM users WHERE display_fold <> '' ORDER BY display_fold, name LIMIT $1) few
		WHERE display_fold LIKE $2 ESCAPE '\') ORDER BY u.display_fold, u.name LIMIT $3`
)

// called returns users whose display name begins with part, and then users whose display name has another
// word that begins with it.
func (s *Store) called(ctx context.Context, part string, limit int) ([]notifier.User, error) {
	query := func(where string) string {
		return `WITH u AS (SELECT seq, name, display, display_fold, audience, locale, theme, keys, toasts, opening_reads, compact, paused_until, profile_notes, zone, zone_seen, zone_seen_at FROM users u ` + where + `)
			SELECT ` + userColumns + `, r.name FROM u LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
			ORDER BY u.display_fold, u.name, r.name`
	}
	first, err := s.users(ctx, query(calledFirst), part, part+string(utf8.MaxRune), limit)
	if err != nil || len(first) >= limit {
		return first, err
	}
	later, err := s.users(ctx, query(calledLater), maxCalled, "% "+literal(part)+"%", limit)
	return append(first, later...), err
}

// Displays returns the display names of these users by name; users without one are omitted.
func (s *Store) Displays(ctx context.Context, names []string) (map[string]string, error) {
	found := map[string]string{}
	for part := range slices.Chunk(names, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var name, display string
			err := rows.Scan(&name, &display)
			found[name] = display
			return err
		}, `SELECT name, display FROM users WHERE display <> '' AND `+s.dialect.within("name", 1), s.dialect.textList(part))
		if err != nil {
			return nil, s.fail(err, "read the names for people of %d users", len(names))
		}
	}
	return found, nil
}

// containing returns users whose name contains part after its beginning.
func (s *Store) containing(ctx context.Context, part string, limit int) ([]notifier.User, error) {
	seqs, whole, err := s.names.find(ctx, s, fold(text(part)), limit)
	switch {
	case err != nil:
		return nil, err
	case !whole:
		return s.Users(ctx, notifier.UserQuery{Contains: part, Limit: 2 * limit}) // some of them begin with part
	case len(seqs) == 0:
		return nil, nil
	}
	// This omits users deleted since the index was built.
	return s.users(ctx, `SELECT `+userColumns+`, r.name FROM users u
		LEFT JOIN role_members m ON m.seq = u.seq LEFT JOIN roles r ON r.id = m.role_id
		WHERE `+s.dialect.within("u.seq", 1)+` ORDER BY u.name_fold, u.name, r.name`, s.dialect.numberList(seqs))
}

// FindRoles returns up to limit roles whose name contains part, in the order of FindUsers.
func (s *Store) FindRoles(ctx context.Context, part string, limit int) ([]notifier.RoleInfo, error) {
	part = fold(part)
	var first, later []string
	err := s.all(ctx, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		switch low := fold(name); {
		case strings.HasPrefix(low, part):
			first = append(first, name)
		case strings.Contains(low, part):
			later = append(later, name)
		}
		return err
	}, `SELECT name FROM roles ORDER BY name`)
	if err != nil {
		return nil, s.fail(err, "list the names of roles")
	}
	names := append(first, later...)
	return s.countMembers(ctx, names[:min(len(names), limit)])
}

// maxNames is the capacity of a nameIndex in names: about 20 MB.
const maxNames = 1_000_000

// nameIndex contains the case-folded names of all users in memory. Searching for a substring in SQL
// would read every row at every keystroke; neither database has a reliable index for it. A name
// never changes, and user numbers are committed in order, so new names are those after the last
// indexed number.
type nameIndex struct {
	mu    sync.Mutex
	text  []byte   // each name, followed by a line feed, which no name contains
	ends  []uint32 // the end of each name in text
	seqs  []uint32
	bound int // for tests; 0: maxNames
}

// find returns the first limit users whose name contains part but does not begin with it. whole is
// false if there are more names than the index can contain.
func (x *nameIndex) find(ctx context.Context, s *Store, part string, limit int) (seqs []int64, whole bool, err error) {
	if !notifier.ValidName(part) {
		return nil, true, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.catchUp(ctx, s); err != nil || len(x.seqs) > x.most() {
		return nil, false, err
	}
	for at := 0; len(seqs) < limit; {
		next := bytes.Index(x.text[at:], []byte(part))
		if next < 0 {
			break
		}
		at += next
		i := sort.Search(len(x.ends), func(i int) bool { return int(x.ends[i]) > at })
		if at > 0 && x.text[at-1] != '\n' {
			seqs = append(seqs, int64(x.seqs[i]))
		}
		at = int(x.ends[i])
	}
	return seqs, true, nil
}

// catchUp adds the users created since the last call.
func (x *nameIndex) catchUp(ctx context.Context, s *Store) error {
	last := uint32(0)
	if n := len(x.seqs); n > 0 {
		last = x.seqs[n-1]
	}
	missing := x.most() + 1 - len(x.seqs)
	if missing <= 0 {
		return nil
	}
	return s.all(ctx, func(rows *sql.Rows) error {
		var seq uint32
		var name string
		if err := rows.Scan(&seq, &name); err != nil {
			return err
		}
		x.text = append(append(x.text, name...), '\n')
		x.ends, x.seqs = append(x.ends, uint32(len(x.text))), append(x.seqs, seq) //nolint:gosec // a million names take 200 MB at most
		return nil
	}, `SELECT seq, name_fold FROM users WHERE seq > $1 ORDER BY seq LIMIT $2`, last, missing)
}

func (x *nameIndex) most() int {
	if x.bound > 0 {
		return x.bound
	}
	return maxNames
}
