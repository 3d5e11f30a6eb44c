package store

import (
	"encoding/json"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// fewRecipients is the size up to which a bitmap is stored without optimizing its form.
const fewRecipients = 16

// noticeRow is a notice in its stored form, together with the result of storing it.
type noticeRow struct {
	notifier.Notice
	target     string
	search     string
	recipients []byte         // nil: not resolved yet
	reasons    []byte         // nil: only the reason of the target
	once       *notifier.Once // a copy; nil: no key
	claim      notifier.Claim
	trace      string
	extras     string
	task       *taskRow       // nil: it is none
	deed       *notifier.Deed // shared by the rows of one call

	id       int64
	replayed bool
	err      error
}

// noticeRow fills row with the stored form of a. The row shares no mutable data with the caller.
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
	n.CreatedAt, n.ExpiresAt, n.SendAt = fromMillis(millis(n.CreatedAt)), fromMillis(millis(n.ExpiresAt)), fromMillis(millis(n.SendAt))
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
	if row.extras, err = encodeExtras(&n.Draft.Extras); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	if row.task, err = taskRowOf(n); err != nil {
		return fmt.Errorf("accept a notice: %w", err)
	}
	row.Reasons, row.claim, row.trace = nil, a.Claim, a.Trace // the reasons belong to the caller
	if a.Once != nil {
		once := *a.Once
		once.Digest = append([]byte{}, once.Digest...) // never NULL
		row.once = &once
	}
	return nil
}

// answer copies the result of the row to a.
func (row *noticeRow) answer(a *notifier.Acceptance) {
	if row.err != nil {
		return
	}
	a.Notice.ID, a.Replayed = row.id, row.replayed
	if !row.replayed {
		a.Notice.Recipients, a.Notice.Routed = row.Recipients, row.Routed
	}
}

// replay marks the row as a repetition of the request that created notice id.
func (row *noticeRow) replay(id int64, digest []byte) {
	if string(digest) != string(row.once.Digest) {
		row.err = notifier.ErrOtherRequest
		return
	}
	row.id, row.replayed = id, true
}

// searchable returns the text that a search of notices matches against.
func searchable(title string, sender notifier.Ref) string {
	return fold(title + "\n" + sender.String())
}

// encodeRecipients returns the stored form of a set of users. It does not modify who.
func encodeRecipients(who *roaring.Bitmap) ([]byte, error) {
	if who.GetCardinality() > fewRecipients {
		who = who.Clone()
		who.RunOptimize()
	}
	return who.ToBytes()
}

// encodeExtras returns the stored form of extras: JSON, or "" if there are none.
func encodeExtras(x *notifier.Extras) (string, error) {
	if x.IsZero() {
		return "", nil
	}
	text, err := json.Marshal(x)
	if err != nil {
		return "", fmt.Errorf("encode the extras: %w", err)
	}
	return string(text), nil
}

// decodeExtras decodes what encodeExtras returns.
func decodeExtras(text string, into *notifier.Extras) error {
	if text == "" {
		return nil
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("read the extras: %w", err)
	}
	return nil
}
