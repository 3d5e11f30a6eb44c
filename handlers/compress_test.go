package handlers_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// unpacked returns the text of a compressed page.
func (r reply) unpacked(t *testing.T) string {
	t.Helper()
	var text io.Reader
	var err error
	switch coding := r.Header.Get("Content-Encoding"); coding {
	case "gzip":
		text, err = gzip.NewReader(strings.NewReader(r.body))
	case "zstd":
		text, err = zstd.NewReader(strings.NewReader(r.body), zstd.WithDecoderMaxWindow(8<<20)) // as browsers accept it
	default:
		t.Fatalf("Content-Encoding is %q", coding)
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return string(all)
}

func TestPagesAreCompressedInTheBestWayThatBrowsersAccept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	plain := w.get("carol", "/staff/notices")
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip; q=0, br", "zstd;q=0.0", "zstandard"} {
		r := w.get("carol", "/staff/notices", "Accept-Encoding", accept)
		if r.Header.Get("Content-Encoding") != "" || r.body != plain.body {
			t.Errorf("Accept-Encoding %q gets an encoding it does not accept", accept)
		}
	}
	for accept, coding := range map[string]string{
		"deflate, gzip, br": "gzip", "gzip, deflate, br, zstd": "zstd", "zstd": "zstd", "zstd;q=0, gzip;q=0.5": "gzip",
	} {
		r := w.get("carol", "/staff/notices", "Accept-Encoding", accept)
		if got := r.Header.Get("Content-Encoding"); got != coding || r.unpacked(t) != plain.body {
			t.Errorf("Accept-Encoding %q: the page is in %q, or differs", accept, got)
		}
		if 2*len(r.body) > len(plain.body) {
			t.Errorf("%s compresses %d to %d bytes", coding, len(plain.body), len(r.body))
		}
		if r.Header.Get("Vary") != "Accept-Encoding" {
			t.Error("Vary lacks Accept-Encoding, so a cache could mix up the encodings")
		}
	}
}

func TestTagOfAnInboxIsSharedByItsEncodings(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	plain := v.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	zipped := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if zipped.unpacked(t) != plain.body {
		t.Error("the compressed page differs")
	}
	tag := zipped.Header.Get("Etag")
	if tag != "W/"+plain.Header.Get("Etag") {
		t.Errorf("ETag %s compressed, %s uncompressed: want the same one, made weak because the bytes differ", tag, plain.Header.Get("Etag"))
	}
	v.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
}
