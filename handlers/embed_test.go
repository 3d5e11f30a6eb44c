package handlers_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestAScriptForHostsLoadsTheModuleThatWasBuiltWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	first := w.get("", "/embed/v1.js")
	name := regexp.MustCompile(`import\("\./([0-9a-f]{16}\.js)"\)`).FindStringSubmatch(first.body)
	if name == nil || strings.Contains(first.body, "__CARILLON") || strings.Contains(first.body, "Mark as unread") || !strings.Contains(first.body, "Mark all as read") {
		t.Fatalf("the script imports %q, and has the texts of its module or a placeholder", name)
	}
	more := w.get("", "/embed/"+name[1])
	if more.StatusCode != http.StatusOK || strings.Contains(more.body, "__CARILLON") || !strings.Contains(more.body, "Mark as unread") {
		t.Errorf("the module has the status %d or lacks its texts", more.StatusCode)
	}
	if head := more.Header; head.Get("Cache-Control") != "public, max-age=31536000, immutable" || head.Get("Access-Control-Allow-Origin") != "*" || head.Get("Cross-Origin-Resource-Policy") != "cross-origin" {
		t.Errorf("the module has %v", more.Header)
	}
	if unknown := w.get("", "/embed/0123456789abcdef.js"); unknown.StatusCode != http.StatusNotFound {
		t.Errorf("another module has the status %d", unknown.StatusCode)
	}
}
