package store

import (
	"context"

	"github.com/carillonhq/carillon/notifier"
)

// subjectQuery names the predicate of the partial index notices_subject, or the index
// is of no use.
const subjectQuery = `WHERE subject = $1 AND subject <> '' AND id > $2 AND (expires_at = 0 OR expires_at > $3)
	AND state NOT IN ('retracting', 'retracted') ORDER BY id LIMIT $4`

// NoticesBySubject returns the notices about a subject with ids above after, by id and
// without their Reasons: those that are neither retracted nor expired, announcements
// among them. Nothing is about the empty subject.
func (s *Store) NoticesBySubject(ctx context.Context, subject string, after int64, limit int) ([]notifier.Notice, error) {
	found, err := s.notices(ctx, subjectQuery, text(subject), after, millis(s.now()), pageSize(limit))
	return found, s.fail(err, "list the notices about a subject")
}
