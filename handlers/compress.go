package handlers

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/carillonhq/carillon/static"
)

// worthZipping is the page size, in bytes, from which compression pays off. A smaller page fits into one packet
// anyway.
const worthZipping = 1400

// zippers pools writers, because creating one is expensive. Level 1 takes about 50 µs for a page of 60 KB and shrinks
// it to a tenth; a higher level takes twice as long for little more.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // fails only for an unknown level
	return z
}}

// zipped returns the compressed page, or nil if it must be sent uncompressed. BREACH does not apply: no page contains
// both a secret and text that an attacker can choose. Forms contain no CSRF tokens; CSRF is stopped by the browser's
// headers about a request's origin.
func zipped(r *http.Request, body []byte) []byte {
	if len(body) < worthZipping || !static.AcceptsGzip(r.Header.Get("Accept-Encoding")) {
		return nil
	}
	z, _ := zippers.Get().(*gzip.Writer)
	defer zippers.Put(z)
	var b bytes.Buffer
	b.Grow(len(body) / 6)
	z.Reset(&b)
	if _, err := z.Write(body); err != nil {
		return nil // unreachable: writes to memory do not fail
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// weak makes an ETag weak, because all encodings of a page share it.
func weak(etag string) string { return "W/" + etag }
