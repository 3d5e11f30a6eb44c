package store

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/carillonhq/carillon/notifier"
)

// snapshotCode is the first byte of what is encoded here. What changes the rest
// changes it too.
const snapshotCode = 1

var errSnapshotCode = errors.New("these bytes are no part of a snapshot, or of a later version")

// How the field of a row ends. Its state is two bits beside its length.
const (
	endsOtherwise = iota
	endsUnread
	endsRead
)

// encodeRows makes rows compact: each number is the way from the same number of
// the row before, which is short. All of int64 is encoded.
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
	const shortest = 4 // bytes of a row
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

// encodeGone encodes scores by their bits, so that they come back as they were:
// of scores near each other the bits are near each other too.
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
	const shortest = 2 // bytes of one
	gone := make([]notifier.GoneNotice, r.start(shortest))
	var id, bits int64
	for i := range gone {
		id += r.varint()
		bits += r.varint()
		gone[i] = notifier.GoneNotice{NoticeID: id, Score: math.Float64frombits(uint64(bits))} //nolint:gosec // all 64 bits are kept
	}
	return gone, r.end()
}

// codeReader reads what is encoded here. After a fault it reads zeros.
type codeReader struct {
	rest []byte
	bad  bool
}

// start reads the version and how many follow: never more than there is room for.
func (r *codeReader) start(shortest int) int {
	if len(r.rest) == 0 || r.rest[0] != snapshotCode {
		r.bad = true
		return 0
	}
	r.rest = r.rest[1:]
	n := r.uvarint()
	if n > uint64(len(r.rest)/shortest) { //nolint:gosec // a length
		r.bad = true
		return 0
	}
	return int(n) //nolint:gosec // less than a length
}

func (r *codeReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.take(n)
	return v
}

func (r *codeReader) varint() int64 {
	v, n := binary.Varint(r.rest)
	r.take(n)
	return v
}

// take goes on by n bytes; a number that is none has n ≤ 0.
func (r *codeReader) take(n int) {
	if n <= 0 {
		r.rest, r.bad = nil, true
		return
	}
	r.rest = r.rest[n:]
}

func (r *codeReader) text(n uint64) string { return string(r.bytes(n)) }

// bytes is the next n bytes, which stay whose they are.
func (r *codeReader) bytes(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.rest, r.bad = nil, true
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

func (r *codeReader) end() error {
	if r.bad || len(r.rest) > 0 {
		return errSnapshotCode
	}
	return nil
}
