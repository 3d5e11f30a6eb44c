package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// SetRecipients stores the recipients of a notice unless they are already stored. It returns the stored
// recipients, so that concurrent routers use the same ones.
func (s *Store) SetRecipients(ctx context.Context, id int64, who *roaring.Bitmap) (*roaring.Bitmap, error) {
	blob, err := encodeRecipients(who)
	if err != nil {
		return nil, fmt.Errorf("encode the recipients of notice %d: %w", id, err)
	}
	changed, err := s.exec(ctx, `UPDATE notices SET recipients = $1, recipient_count = $2 WHERE id = $3 AND recipients IS NULL`,
		blob, int64(who.GetCardinality()), id) //nolint:gosec // at most 2^32
	switch {
	case err != nil:
		return nil, s.fail(err, "store the recipients of notice %d", id)
	case changed > 0:
		return who.Clone(), nil
	}
	return s.Recipients(ctx, id)
}

// Recipients returns the recipients of a notice. It returns notifier.ErrNotFound if there is no such
// notice or it is not routed yet.
func (s *Store) Recipients(ctx context.Context, id int64) (*roaring.Bitmap, error) {
	var blob []byte
	err := s.read.QueryRowContext(ctx, `SELECT recipients FROM notices WHERE id = $1`, id).Scan(&blob)
	if err == nil && blob == nil {
		err = notifier.ErrNotFound
	}
	if err != nil {
		return nil, s.fail(err, "read the recipients of notice %d", id)
	}
	return decodeRecipients(id, blob)
}

// Accepted returns these notices with their recipients, ordered by id; To is nil if the recipients
// are not resolved. Deleted notices are omitted. It holds all recipients in memory at once, so it is
// intended for notices with few of them.
func (s *Store) Accepted(ctx context.Context, ids []int64) ([]notifier.Acceptance, error) {
	found := make([]notifier.Acceptance, 0, len(ids))
	for part := range slices.Chunk(ids, inboxBatch) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var blob, reasons sql.RawBytes // decoding copies the data it retains
			n, err := scanNotice(rows, &blob, &reasons)
			if err != nil {
				return err
			}
			n.Reasons = storedReasons(reasons)
			a := notifier.Acceptance{Notice: &n}
			if n.Routed {
				if a.To, err = decodeRecipients(n.ID, blob); err != nil {
					return err
				}
			}
			found = append(found, a)
			return nil
		}, `SELECT `+noticeColumns+`, recipients, reasons FROM notices LEFT JOIN announcements ON notice_id = id
			WHERE `+s.dialect.within("id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read %d notices with their recipients", len(ids))
		}
	}
	slices.SortFunc(found, func(a, b notifier.Acceptance) int { return cmp.Compare(a.Notice.ID, b.Notice.ID) })
	return found, nil
}

// FirstRecipients returns the lowest recipient of each of these notices that has any. It reads whole
// bitmaps, so it is intended for notices with few recipients.
func (s *Store) FirstRecipients(ctx context.Context, ids []int64) (map[int64]int64, error) {
	first := make(map[int64]int64, len(ids))
	for part := range slices.Chunk(ids, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var id int64
			var blob []byte
			if err := rows.Scan(&id, &blob); err != nil {
				return err
			}
			who, err := decodeRecipients(id, blob)
			if err == nil && !who.IsEmpty() {
				first[id] = int64(who.Minimum())
			}
			return err
		}, `SELECT id, recipients FROM notices WHERE recipients IS NOT NULL AND `+s.dialect.within("id", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read the recipients of %d notices", len(ids))
		}
	}
	return first, nil
}

// UserNames returns the names of these users by seq; unknown users are omitted.
func (s *Store) UserNames(ctx context.Context, who *roaring.Bitmap) (map[int64]notifier.UserName, error) {
	seqs := make([]int64, 0, who.GetCardinality())
	for seq := range roaring.Values(who) {
		seqs = append(seqs, int64(seq))
	}
	names := make(map[int64]notifier.UserName, len(seqs))
	for part := range slices.Chunk(seqs, listSize) {
		err := s.all(ctx, func(rows *sql.Rows) error {
			var seq int64
			var name notifier.UserName
			err := rows.Scan(&seq, &name.Name, &name.Display)
			names[seq] = name
			return err
		}, `SELECT seq, name, display FROM users WHERE `+s.dialect.within("seq", 1), s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "read the names of %d users", len(seqs))
		}
	}
	return names, nil
}

func decodeRecipients(id int64, blob []byte) (*roaring.Bitmap, error) {
	who := roaring.New()
	if err := who.UnmarshalBinary(blob); err != nil {
		return nil, fmt.Errorf("decode the recipients of notice %d: %w", id, err)
	}
	return who, nil
}

// member returns the number of a user as sets of recipients have it.
func member(seq int64) uint32 { return uint32(seq) } //nolint:gosec // a user's number is below 2^32
