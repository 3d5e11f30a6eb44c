package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"math"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

const (
	// largeAudience is the size above which counting is slow.
	largeAudience = 100_000
	// sizeLife is how long the size of a large audience is cached.
	sizeLife = 30 * time.Second
)

// AudienceSize counts the users of each audience whose number is at most top; 0 means all
// users. The size of a large audience may be up to half a minute old.
func (s *Store) AudienceSize(
	ctx context.Context, audiences []notifier.Audience, top int64,
) (map[notifier.Audience]int64, error) {
	if top == 0 {
		top = math.MaxInt64
	}
	sizes := make(map[notifier.Audience]int64, len(audiences))
	for _, audience := range audiences {
		key := sizeKey{audience, top}
		size, known := s.sizes.get(key, s.now())
		if !known {
			var err error
			if size, err = s.countAudience(ctx, audience, top); err != nil {
				return nil, s.fail(err, "count audience %d", audience)
			}
			s.sizes.keep(key, size, s.now())
		}
		sizes[audience] = size
	}
	return sizes, nil
}

// CountUsers returns the number of all users. Above largeAudience it may be up to half a minute old.
func (s *Store) CountUsers(ctx context.Context) (size int64, err error) {
	key := sizeKey{0, math.MaxInt64} // no user is in audience 0
	size, known := s.sizes.get(key, s.now())
	if known {
		return size, nil
	}
	if err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM users`).Scan(&size); err != nil {
		return 0, s.fail(err, "count the users")
	}
	s.sizes.keep(key, size, s.now())
	return size, nil
}

const countAudienceQuery = `SELECT COUNT(*) FROM users WHERE audience = $1 AND seq <= $2`

func (s *Store) countAudience(ctx context.Context, audience notifier.Audience, top int64) (size int64, err error) {
	err = s.read.QueryRowContext(ctx, countAudienceQuery, int64(audience), top).Scan(&size)
	return size, err
}

// SettleTop records the readers for whom an announcement opens: the highest user number so far,
// and the number of users in the audience up to that number. Only the first call stores values;
// every call returns the stored values. It returns notifier.ErrNotFound for an unknown part.
func (s *Store) SettleTop(ctx context.Context, k notifier.PartKey) (notifier.Part, error) {
	p, err := s.settleTop(ctx, k)
	return p, s.fail(err, "settle announcement %d in audience %d", k.ID, k.Audience)
}

func (s *Store) settleTop(ctx context.Context, k notifier.PartKey) (notifier.Part, error) {
	p, err := s.part(ctx, k)
	if err != nil || p.Settled {
		return p, err
	}
	var top int64
	if err := s.read.QueryRowContext(ctx, `SELECT value FROM sequences WHERE name = 'user'`).Scan(&top); err != nil {
		return p, err
	}
	// User numbers are committed in order, so a later count up to top gives the same result,
	// except for users who have moved to another audience; the first stored count is kept. No
	// writer has to wait for it.
	members, err := s.countAudience(ctx, k.Audience, top)
	if err != nil {
		return p, err
	}
	_, err = s.exec(ctx, `UPDATE announcement_audiences SET settled = TRUE, top = $1, members = $2
		WHERE announcement_id = $3 AND audience = $4 AND NOT settled`, top, members, k.ID, int64(k.Audience))
	if err != nil {
		return p, err
	}
	return s.part(ctx, k)
}

func (s *Store) part(ctx context.Context, k notifier.PartKey) (notifier.Part, error) {
	p := notifier.Part{Audience: k.Audience}
	err := s.read.QueryRowContext(ctx, `SELECT `+partColumns+` FROM announcement_audiences
		WHERE announcement_id = $1 AND audience = $2`, k.ID, int64(k.Audience)).Scan(partFields(&p)...)
	if errors.Is(err, sql.ErrNoRows) {
		err = notifier.ErrNotFound
	}
	return p, err
}

// audienceList returns the parameter for a dialect.within condition on audiences.
func (s *Store) audienceList(audiences []notifier.Audience) any {
	numbers := make([]int64, len(audiences))
	for i, a := range audiences {
		numbers[i] = int64(a)
	}
	return s.dialect.numberList(numbers)
}

type sizeKey struct {
	audience notifier.Audience
	top      int64
}

type sizeMemo struct {
	size int64
	at   time.Time
}

// audienceSizes caches the sizes of large audiences for a short time.
type audienceSizes struct {
	mu    sync.Mutex
	large int64 // for tests; 0: largeAudience
	memos map[sizeKey]sizeMemo
}

func (m *audienceSizes) get(key sizeKey, now time.Time) (size int64, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	memo, known := m.memos[key]
	return memo.size, known && memo.fresh(now)
}

// keep caches the size of a large audience and evicts expired sizes.
func (m *audienceSizes) keep(key sizeKey, size int64, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if size <= cmp.Or(m.large, largeAudience) {
		return
	}
	if m.memos == nil {
		m.memos = make(map[sizeKey]sizeMemo)
	}
	for k, memo := range m.memos {
		if !memo.fresh(now) {
			delete(m.memos, k)
		}
	}
	m.memos[key] = sizeMemo{size, now}
}

func (m sizeMemo) fresh(now time.Time) bool { return now.Sub(m.at) < sizeLife }
