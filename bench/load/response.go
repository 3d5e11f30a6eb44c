package load

import (
	"bytes"
	"fmt"
)

// response is the state of reading the answer to a stream's request: a header, then a body that
// is chunked or lasts until the end of the connection.
type response struct {
	head    []byte // the part of the header that has arrived; nil when it is complete
	begun   bool   // the body has begun
	chunked bool
	size    int64 // size of the current chunk, while it is being read
	digits  bool  // a digit of it has been read
	left    int64 // bytes of the current chunk that have not arrived yet
}

// body reads the next bytes of a connection and returns, in place, the part that belongs to the
// body. Any status but 200 is an error.
func (r *response) body(b []byte) ([]byte, error) {
	if !r.begun {
		r.head = append(r.head, b...)
		head, rest, ok := bytes.Cut(r.head, []byte("\r\n\r\n"))
		if !ok {
			return nil, nil
		}
		status, fields, _ := bytes.Cut(head, []byte("\r\n"))
		if _, code, _ := bytes.Cut(status, []byte{' '}); !bytes.HasPrefix(code, []byte("200")) {
			return nil, fmt.Errorf("answered %q: %.100q", status, rest)
		}
		r.chunked = bytes.Contains(bytes.ToLower(fields), []byte("transfer-encoding: chunked"))
		r.begun, r.head, b = true, nil, rest
	}
	if r.chunked {
		b = r.unchunk(b)
	}
	return b, nil
}

func (r *response) unchunk(b []byte) []byte {
	out := b[:0]
	for len(b) > 0 {
		if r.left > 0 {
			n := min(r.left, int64(len(b)))
			out, b, r.left = append(out, b[:n]...), b[n:], r.left-n
			continue
		}
		c := b[0]
		b = b[1:]
		if d, ok := hexDigit(c); ok {
			r.size, r.digits = r.size<<4|int64(d), true
			continue
		}
		if c == '\n' && r.digits { // otherwise it is the line end after a chunk
			r.left, r.size, r.digits = r.size, 0, false
		}
	}
	return out
}
