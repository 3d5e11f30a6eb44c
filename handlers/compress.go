package handlers

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/carillonhq/carillon/static"
)

// worthZipping is the size from which pages are compressed. Smaller ones fit into one packet as
// they are.
const worthZipping = 1400

// zippers is a pool, because they are expensive to make. Level 1 takes some 50 µs for a page of
// 60 KB and leaves a tenth of it; a higher level takes twice that for little more.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // fails only for an unknown level
	return z
}}

// zipped returns the compressed page, or nil if it has to be sent uncompressed. Compressing is
// safe against BREACH: no page has a secret beside text that a stranger can choose. Forms have no
// tokens, because CSRF is refused by the headers that browsers send about a request's origin.
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
		return nil // writing to memory does not fail; if it did, send the page uncompressed
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// weak makes an ETag weak, as it is shared by all encodings of a page.
func weak(etag string) string { return "W/" + etag }
