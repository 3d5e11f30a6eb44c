package handlers

import (
	"archive/zip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// asked returns a request from a browser in this time zone.
func asked(t *testing.T, zone string) *http.Request {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/inbox", nil)
	r.AddCookie(&http.Cookie{Name: "tz", Value: zone})
	return r
}

func TestEveryZoneInGosDatabaseIsAccepted(t *testing.T) {
	t.Parallel()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	z := newZones()
	taken := 0
	for _, f := range files.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		taken++
		if got := z.of(asked(t, f.Name)).String(); got != f.Name {
			t.Errorf("%s is %s", f.Name, got)
		}
	}
	if taken < 500 || taken > maxZones {
		t.Errorf("%d zones: the cache should have room for all of them, about 600", taken)
	}
}

func TestZoneHasOnlyOneSpelling(t *testing.T) {
	t.Parallel()
	z := newZones()
	if got := z.of(asked(t, "America/New_York")).String(); got != "America/New_York" {
		t.Fatal(got)
	}
	for _, name := range []string{
		"", "Local", "America//New_York", "America/./New_York", "./America/New_York", "America/New_York/", "/America/New_York",
		"America/../America/New_York", "posix/America/New_York", "right/America/New_York", "Nowhere/Land", "America", "america/new_york",
		"America/Argentina/Buenos_Aires/Harbour", "Europe/Berl\u0131n", "Europe/" + strings.Repeat("B", 64),
	} {
		if got := z.of(asked(t, name)); got != time.UTC {
			t.Errorf("%q is %s, want UTC", name, got)
		}
	}
	if n := z.known.EstimatedSize(); n != 1 {
		t.Errorf("%d zones are cached, want only the requested one", n)
	}
}

func TestCachedZonesAreBounded(t *testing.T) {
	t.Parallel()
	z := newZones()
	for i := range 10_000 {
		z.of(asked(t, "America/"+strings.Repeat("./", i%20)+strings.Repeat("/", i/20%20)+"New_York"))
		z.known.Set(fmt.Sprint("Zone", i), time.UTC) // as on a machine with that many zones
	}
	z.known.CleanUp()
	if n := z.known.EstimatedSize(); n > maxZones {
		t.Errorf("%d zones are cached, want %d at most", n, maxZones)
	}
}
