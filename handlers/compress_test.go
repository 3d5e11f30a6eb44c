package handlers_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
)

func unzip(t *testing.T, r reply) string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(r.body))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPageIsCompressedForBrowsersThatAcceptGzip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	plain := w.get("carol", "/staff/notices")
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip; q=0, br"} {
		r := w.get("carol", "/staff/notices", "Accept-Encoding", accept)
		if r.Header.Get("Content-Encoding") != "" || r.body != plain.body {
			t.Errorf("Accept-Encoding %q gets an encoding it does not accept", accept)
		}
	}
	r := w.get("carol", "/staff/notices", "Accept-Encoding", "deflate, gzip, br")
	if r.Header.Get("Content-Encoding") != "gzip" || unzip(t, r) != plain.body {
		t.Error("the compressed page differs")
	}
	if 2*len(r.body) > len(plain.body) {
		t.Errorf("compressed to %d of %d bytes", len(r.body), len(plain.body))
	}
	for _, got := range []reply{plain, r} {
		if got.Header.Get("Vary") != "Accept-Encoding" {
			t.Error("Vary lacks Accept-Encoding, so a cache could mix up the encodings")
		}
	}
}

func TestTagOfAnInboxIsSharedByItsEncodings(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	plain := v.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	zipped := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if unzip(t, zipped) != plain.body {
		t.Error("the compressed page differs")
	}
	tag := zipped.Header.Get("Etag")
	if tag != "W/"+plain.Header.Get("Etag") {
		t.Errorf("ETag %s compressed, %s uncompressed: want the same one, made weak because the bytes differ", tag, plain.Header.Get("Etag"))
	}
	v.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
}
