package store

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/carillonhq/carillon/notifier"
)

// snapshotCode is the version of this encoding, its first byte. It must change with the encoding.
const snapshotCode = 1

var errSnapshotCode = errors.New("the data is not part of a snapshot, or of a later version")

// The state of a row, encoded in the two lowest bits of the length of its key.
const (
	endsOtherwise = iota
	endsUnread
	endsRead
)

// encodeRows encodes rows compactly: each number is stored as the difference from the same number in
// the previous row. Any int64 can be encoded.
func encodeRows(rows []notifier.SnapshotRow) []byte {
	b := make([]byte, 0, 2+48*len(rows))
	b = append(b, snapshotCode)
	b = binary.AppendUvarint(b, uint64(len(rows)))
	var last notifier.SnapshotRow
	for _, r := range rows {
		key, read, ok := notifier.SplitField(r.Field)
		ending := uint64(endsUnread)
		switch {
		case !ok:
			key, ending = r.Field, endsOtherwise
		case read:
			ending = endsRead
		}
		b = binary.AppendUvarint(b, uint64(len(key))<<2|ending)
		b = append(b, key...)
		b = binary.AppendVarint(b, r.NoticeID-last.NoticeID)
		b = binary.AppendVarint(b, r.At-last.At)
		b = binary.AppendVarint(b, r.Expires-last.Expires)
		last = r
	}
	return b
}

func decodeRows(b []byte) ([]notifier.SnapshotRow, error) {
	r := codeReader{rest: b}
	const shortest = 4 // bytes of one row
	rows := make([]notifier.SnapshotRow, r.start(shortest))
	var last notifier.SnapshotRow
	for i := range rows {
		head := r.uvarint()
		key := r.text(head >> 2)
		switch head & 3 {
		case endsOtherwise:
			last.Field = key
		case endsUnread:
			last.Field = key + notifier.UnreadSuffix
		case endsRead:
			last.Field = key + notifier.ReadSuffix
		default:
			r.bad = true
		}
		last.NoticeID += r.varint()
		last.At += r.varint()
		last.Expires += r.varint()
		rows[i] = last
	}
	return rows, r.end()
}

// encodeGone encodes scores by their bits, so that they are restored exactly. Scores that are close
// have bits that are close.
func encodeGone(gone []notifier.GoneNotice) []byte {
	b := make([]byte, 0, 2+8*len(gone))
	b = append(b, snapshotCode)
	b = binary.AppendUvarint(b, uint64(len(gone)))
	var id, bits int64
	for _, g := range gone {
		score := int64(math.Float64bits(g.Score)) //nolint:gosec // all 64 bits are kept
		b = binary.AppendVarint(b, g.NoticeID-id)
		b = binary.AppendVarint(b, score-bits)
		id, bits = g.NoticeID, score
	}
	return b
}

func decodeGone(b []byte) ([]notifier.GoneNotice, error) {
	r := codeReader{rest: b}
	const shortest = 2 // bytes of one notice
	gone := make([]notifier.GoneNotice, r.start(shortest))
	var id, bits int64
	for i := range gone {
		id += r.varint()
		bits += r.varint()
		gone[i] = notifier.GoneNotice{NoticeID: id, Score: math.Float64frombits(uint64(bits))} //nolint:gosec // all 64 bits are kept
	}
	return gone, r.end()
}

// encodeIDs encodes ids in their order. An empty list is encoded as no bytes, as in rows from before the
// column existed.
func encodeIDs(ids []int64) []byte {
	if len(ids) == 0 {
		return []byte{}
	}
	b := make([]byte, 0, 2+4*len(ids))
	b = append(b, snapshotCode)
	b = binary.AppendUvarint(b, uint64(len(ids)))
	var last int64
	for _, id := range ids {
		b = binary.AppendVarint(b, id-last)
		last = id
	}
	return b
}

func decodeIDs(b []byte) ([]int64, error) {
	if len(b) == 0 {
		return nil, nil
	}
	r := codeReader{rest: b}
	const shortest = 1 // bytes of one id
	ids := make([]int64, r.start(shortest))
	var last int64
	for i := range ids {
		last += r.varint()
		ids[i] = last
	}
	return ids, r.end()
}

// encodeArchived encodes archived entries like encodeRows. An empty archive is encoded as no bytes,
// as in rows from before the column existed.
func encodeArchived(rows []notifier.ArchivedRow) []byte {
	if len(rows) == 0 {
		return []byte{}
	}
	b := make([]byte, 0, 2+48*len(rows))
	b = append(b, snapshotCode)
	b = binary.AppendUvarint(b, uint64(len(rows)))
	var last notifier.ArchivedRow
	for _, r := range rows {
		b = binary.AppendUvarint(b, uint64(len(r.Key)))
		b = append(b, r.Key...)
		b = binary.AppendVarint(b, r.NoticeID-last.NoticeID)
		b = binary.AppendVarint(b, r.At-last.At)
		b = binary.AppendVarint(b, r.Expires-last.Expires)
		b = binary.AppendVarint(b, r.ArchivedAt-last.ArchivedAt)
		last = r
	}
	return b
}

func decodeArchived(b []byte) ([]notifier.ArchivedRow, error) {
	if len(b) == 0 {
		return nil, nil
	}
	r := codeReader{rest: b}
	const shortest = 5 // bytes of one row
	rows := make([]notifier.ArchivedRow, r.start(shortest))
	var last notifier.ArchivedRow
	for i := range rows {
		last.Key = r.text(r.uvarint())
		last.NoticeID += r.varint()
		last.At += r.varint()
		last.Expires += r.varint()
		last.ArchivedAt += r.varint()
		rows[i] = last
	}
	return rows, r.end()
}
