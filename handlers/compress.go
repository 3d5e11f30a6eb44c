package handlers

import (
	"bytes"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"

	"github.com/carillonhq/carillon/static"
)

// worthZipping is the size from which a page is compressed: below it fits into
// one packet as it is.
const worthZipping = 1400

// zippers are expensive to make. Level 1 takes some 50 µs for a page of 60 KB
// and leaves a tenth of it; a higher level takes twice that for little more.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // fails for an unknown level only
	return z
}}

// zipped is a page as a browser that can unzip gets it; nil where it is to get
// it as it is. Nothing in a page is both secret and beside what a stranger can
// choose, so that its length tells nobody anything (BREACH): there are no tokens
// in forms, because CSRF is refused by what browsers say of a request's origin.
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
		return nil // writing to memory does not fail; if it did, the page goes as it is
	}
	if err := z.Close(); err != nil {
		return nil
	}
	return b.Bytes()
}

// weak makes a tag the same for each encoding of a page.
func weak(etag string) string { return "W/" + etag }
