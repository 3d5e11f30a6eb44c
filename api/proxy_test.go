package api

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The nginx configuration in deploy/ must not refuse requests that the API accepts, nor answer
// them in HTML.
func TestTheProxyPassesTheLargestRequest(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	largest := int64(0)
	for _, c := range newWorld(t).calls {
		largest = max(largest, c.maxBody)
	}
	place := regexp.MustCompile(`(?s)location (/\S+) \{([^}]*client_max_body_size (\d+)m;[^}]*)\}`).FindStringSubmatch(string(text))
	if place == nil || place[1] != "/api/" || !strings.HasPrefix(prefix, place[1]) || !strings.Contains(place[2], "error_page 413 @too_large;") {
		t.Fatalf("no location for %s in:\n%s", prefix, text)
	}
	if megabytes, err := strconv.ParseInt(place[3], 10, 64); err != nil || megabytes<<20 <= largest {
		t.Errorf("the proxy limits bodies to %s MiB; only the API should refuse bodies, above %d bytes", place[3], largest)
	}
}
