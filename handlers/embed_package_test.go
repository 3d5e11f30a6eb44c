package handlers_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unpack returns a package's files by name.
func unpack(t *testing.T, file string) map[string]string {
	t.Helper()
	z, err := gzip.NewReader(strings.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(z); ; {
		head, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		var text bytes.Buffer
		if err == nil {
			_, err = io.Copy(&text, archive)
		}
		if err != nil {
			t.Fatal(err)
		}
		files[head.Name] = text.String()
	}
}

// A lock file contains the package's hash, so the same server must always send the same bytes.
func TestThePackageContainsItsServerAndIsTheSameEachTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.get("", "/embed/carillon-embed.tgz").wantStatus(t, http.StatusOK)
	if again := w.get("", "/embed/carillon-embed.tgz"); again.body != first.body || again.Header.Get("Access-Control-Allow-Origin") != "*" {
		t.Error("the same server answers with another package")
	}
	files := unpack(t, first.body)
	if !regexp.MustCompile(`"version": "1\.0\.0-h[0-9a-f]{12}"`).MatchString(files["package/package.json"]) {
		t.Errorf("package.json is %s", files["package/package.json"])
	}
	// The names of chunks change with their content.
	all := func(files map[string]string) string {
		return strings.Join(slices.Collect(maps.Values(files)), "\n")
	}
	for _, want := range []string{`"http://example.com/embed/index.js"`, "Mark as unread"} {
		if !strings.Contains(all(files), want) {
			t.Errorf("the package has no %s", want)
		}
	}
	for name, want := range map[string]string{
		"package/index.js": "Mark all as read", "package/react.js": "useSyncExternalStore",
		"package/vue.js": "onScopeDispose", "package/types/embed/core.d.ts": "connect", "package/react.d.ts": "carillon-toasts", "package/custom-elements.json": "carillon-inbox",
	} {
		if !strings.Contains(files[name], want) {
			t.Errorf("%s has no %s", name, want)
		}
	}
	for name, text := range files {
		if strings.Contains(text, "__CARILLON") {
			t.Errorf("%s has a place that nothing filled", name)
		}
	}
	w.config.PublicURL = "https://app.example.com/notifications/"
	w.rebuild()
	if files := unpack(t, w.get("", "/embed/carillon-embed.tgz").body); !strings.Contains(all(files), `"https://app.example.com/notifications/embed/index.js"`) {
		t.Error("the package does not contain the public URL")
	}
}
