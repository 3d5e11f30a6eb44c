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

func TestCachedPageIsCompressedOnlyForBrowsersThatAcceptGzip(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	plain := v.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	zipped := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if unzip(t, zipped) != plain.body || v.opened != 1 {
		t.Errorf("a page cached uncompressed is not sent compressed, opened %d times", v.opened)
	}
	v = newVisits(t)
	zipped = v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	again := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if unzip(t, zipped) != plain.body || again.body != zipped.body {
		t.Error("the compressed page differs")
	}
	if r := v.get("alice", "/inbox"); r.body != plain.body || r.Header.Get("Content-Encoding") != "" {
		t.Error("a browser without gzip gets the compressed page")
	}
	tag := zipped.Header.Get("Etag")
	if !strings.HasPrefix(tag, "W/") {
		t.Errorf("ETag %s is strong, although the bytes differ", tag)
	}
	v.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
}
