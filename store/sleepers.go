package store

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Sleepers returns the users among these who are in their quiet hours now, or paused.
func (s *Store) Sleepers(ctx context.Context, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	found := roaring.New()
	if among.IsEmpty() {
		return found, nil
	}
	if n := among.GetCardinality(); n > fewUsers {
		err := s.sleepers(ctx, found, `seq BETWEEN $2 AND $3`, int64(among.Minimum()), int64(among.Maximum()))
		found.And(among)
		return found, s.fail(err, "find which of %d users are asleep", n)
	}
	seqs := make([]int64, 0, among.GetCardinality())
	for seq := range roaring.Values(among) {
		seqs = append(seqs, int64(seq))
	}
	err := s.sleepers(ctx, found, s.dialect.within("seq", 2), s.dialect.numberList(seqs))
	return found, s.fail(err, "find which of %d users are asleep", len(seqs))
}

// SleepersIn is Sleepers for the members of audiences. It reads the whole table.
func (s *Store) SleepersIn(ctx context.Context, audiences []notifier.Audience) (*roaring.Bitmap, error) {
	found := roaring.New()
	err := s.sleepers(ctx, found, s.dialect.within("audience", 2), s.audienceList(audiences))
	return found, s.fail(err, "find who is asleep in %d audiences", len(audiences))
}

// sleepers adds the sleepers that match a condition, whose parameters begin with $2.
func (s *Store) sleepers(ctx context.Context, found *roaring.Bitmap, where string, args ...any) error {
	now, zones := s.now(), map[string]*time.Location{}
	return s.all(ctx, func(rows *sql.Rows) error {
		var u notifier.User
		var from, to sql.Null[int64]
		if err := rows.Scan(&u.Seq, &u.Zones.Chosen, &u.Zones.Seen, &u.Paused, &from, &to); err != nil {
			return err
		}
		name, _ := u.Zones.InForce(s.zone)
		if zones[name] == nil {
			zones[name] = notifier.Location(name)
		}
		if !u.PausedUntil(now).IsZero() || !quietOf(from, to).Until(now, zones[name]).IsZero() {
			found.Add(member(u.Seq))
		}
		return nil
	}, `SELECT seq, zone, zone_seen, paused_until, quiet_from, quiet_to FROM users WHERE (paused_until > $1 OR quiet_from IS NOT NULL) AND `+where,
		slices.Concat([]any{millis(now)}, args)...)
}

// UsersAmong returns the users with these numbers, ordered by number.
func (s *Store) UsersAmong(ctx context.Context, seqs []int64) ([]notifier.User, error) {
	var found []notifier.User
	for part := range slices.Chunk(seqs, listSize) {
		some, err := gatherUsers(s.read.QueryContext(ctx, userQuery(s.dialect.within("u.seq", 1)), s.dialect.numberList(part)))
		if err != nil {
			return nil, s.fail(err, "read %d users", len(seqs))
		}
		found = append(found, some...)
	}
	slices.SortFunc(found, func(a, b notifier.User) int { return int(a.Seq - b.Seq) })
	return found, nil
}

// FirstOfAudiences returns the lowest numbers of the users in these audiences, at most limit of them.
func (s *Store) FirstOfAudiences(ctx context.Context, audiences []notifier.Audience, limit int) (seqs []int64, err error) {
	err = s.all(ctx, func(rows *sql.Rows) error {
		var seq int64
		err := rows.Scan(&seq)
		seqs = append(seqs, seq)
		return err
	}, `SELECT seq FROM users WHERE `+s.dialect.within("audience", 1)+` ORDER BY seq LIMIT $2`, s.audienceList(audiences), limit)
	return seqs, s.fail(err, "list users of %d audiences", len(audiences))
}
