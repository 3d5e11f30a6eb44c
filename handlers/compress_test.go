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

func TestAPageIsZippedForWhoeverTakesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	plain := w.get("carol", "/staff/notices")
	for _, accept := range []string{"", "br", "gzip;q=0", "gzip; q=0, br"} {
		r := w.get("carol", "/staff/notices", "Accept-Encoding", accept)
		if r.Header.Get("Content-Encoding") != "" || r.body != plain.body {
			t.Errorf("%q gets another page than it can read", accept)
		}
	}
	r := w.get("carol", "/staff/notices", "Accept-Encoding", "deflate, gzip, br")
	if r.Header.Get("Content-Encoding") != "gzip" || unzip(t, r) != plain.body {
		t.Error("the zipped page is another one")
	}
	if 2*len(r.body) > len(plain.body) {
		t.Errorf("%d of %d bytes are left", len(r.body), len(plain.body))
	}
	for _, got := range []reply{plain, r} {
		if got.Header.Get("Vary") != "Accept-Encoding" {
			t.Error("a cache could give the one to those who want the other")
		}
	}
}

func TestAKeptPageIsZippedForThoseAlone(t *testing.T) {
	t.Parallel()
	v := newVisits(t)
	plain := v.get("alice", "/inbox").wantStatus(t, http.StatusOK)
	zipped := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if unzip(t, zipped) != plain.body || v.opened != 1 {
		t.Errorf("the page that was kept as it is comes not back zipped, opened %d times", v.opened)
	}
	v = newVisits(t)
	zipped = v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	again := v.get("alice", "/inbox", "Accept-Encoding", "gzip").wantStatus(t, http.StatusOK)
	if unzip(t, zipped) != plain.body || again.body != zipped.body {
		t.Error("the zipped page is another one")
	}
	if r := v.get("alice", "/inbox"); r.body != plain.body || r.Header.Get("Content-Encoding") != "" {
		t.Error("the zipped page goes to one who cannot take it")
	}
	tag := zipped.Header.Get("Etag")
	if !strings.HasPrefix(tag, "W/") {
		t.Errorf("the tag %s says that the bytes are the same", tag)
	}
	v.get("alice", "/inbox", "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
}
