package store

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// subjectQuery repeats the predicate of the partial index notices_subject; otherwise the index would
// not be used.
const subjectQuery = `WHERE subject = $1 AND subject <> '' AND id > $2 AND (expires_at = 0 OR expires_at > $3)
	AND state NOT IN ('retracting', 'retracted') ORDER BY id LIMIT $4`

// NoticesBySubject returns the notices about a subject with ids above after, ordered by id and
// without their Reasons. It leaves out retracted and expired notices and includes announcements.
// The empty subject matches nothing.
func (s *Store) NoticesBySubject(ctx context.Context, subject string, after int64, limit int) ([]notifier.Notice, error) {
	found, err := s.notices(ctx, subjectQuery, text(subject), after, millis(s.now()), pageSize(limit))
	return found, s.fail(err, "list the notices about a subject")
}
