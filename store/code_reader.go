package store

import "encoding/binary"

// codeReader reads the encodings of snapshots and reasons. After an error it reads zeros.
type codeReader struct {
	rest []byte
	bad  bool
}

// start reads the version and the number of elements, and rejects a number too large for the rest.
func (r *codeReader) start(shortest uint64) uint64 {
	if len(r.rest) == 0 || r.rest[0] != snapshotCode {
		r.bad = true
		return 0
	}
	r.rest = r.rest[1:]
	n := r.uvarint()
	if n > uint64(len(r.rest))/shortest {
		r.bad = true
		return 0
	}
	return n
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

// take skips n bytes; n ≤ 0 means that decoding a number failed.
func (r *codeReader) take(n int) {
	if n <= 0 {
		r.rest, r.bad = nil, true
		return
	}
	r.rest = r.rest[n:]
}

func (r *codeReader) text(n uint64) string { return string(r.bytes(n)) }

// bytes returns the next n bytes without copying them.
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
