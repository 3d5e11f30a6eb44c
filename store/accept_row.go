package store

import (
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// fewRecipients is up to how many the form of a bitmap is not worth a thought.
const fewRecipients = 16

// noticeRow is a notice as it is stored, and what became of it.
type noticeRow struct {
	notifier.Notice
	target     string
	search     string
	recipients []byte         // nil: not settled
	reasons    []byte         // nil: none but the target's
	once       *notifier.Once // its own; nil: no key

	id       int64
	replayed bool
	err      error
}

// noticeRow fills row with what is to be stored of a. Nobody else holds any part
// of it that can change.
func (s *Store) noticeRow(row *noticeRow, a *notifier.Acceptance) error {
	n := a.Notice
	target, err := json.Marshal(n.Target)
	if err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	if n.State == "" {
		n.State = notifier.StateAccepted
	}
	if n.CreatedAt.IsZero() {
		n.CreatedAt = s.now()
	}
	n.CreatedAt, n.ExpiresAt = fromMillis(millis(n.CreatedAt)), fromMillis(millis(n.ExpiresAt))
	row.Notice, row.target, row.search = *n, string(target), searchable(n.Title, n.Sender)
	row.Recipients, row.Routed = 0, false
	if a.To != nil {
		if row.recipients, err = encodeRecipients(a.To); err != nil {
			return fmt.Errorf("accept a notice: encode its recipients: %w", err)
		}
		row.Recipients, row.Routed = int64(a.To.GetCardinality()), true //nolint:gosec // at most 2^32
	}
	if row.reasons, err = encodeReasons(n.Reasons); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	row.Reasons = nil // the caller's
	if a.Once != nil {
		once := *a.Once
		once.Digest = append([]byte{}, once.Digest...) // never NULL
		row.once = &once
	}
	return nil
}

// answer tells a what became of its row.
func (row *noticeRow) answer(a *notifier.Acceptance) {
	if row.err != nil {
		return
	}
	a.Notice.ID, a.Replayed = row.id, row.replayed
	if !row.replayed {
		a.Notice.Recipients, a.Notice.Routed = row.Recipients, row.Routed
	}
}

// replay makes a row the repetition of a request that was accepted as notice id.
func (row *noticeRow) replay(id int64, digest []byte) {
	if string(digest) != string(row.once.Digest) {
		row.err = notifier.ErrOtherRequest
		return
	}
	row.id, row.replayed = id, true
}

// searchable is what a search of notices looks through.
func searchable(title, sender string) string { return fold(title + "\n" + sender) }

// encodeRecipients is how a set of users stands in SQL. It leaves who as it is.
func encodeRecipients(who *roaring.Bitmap) ([]byte, error) {
	if who.GetCardinality() > fewRecipients {
		who = who.Clone()
		who.RunOptimize()
	}
	return who.ToBytes()
}
