package handlers

import (
	"net/http"
	"strings"
)

// deliberate reports whether the user meant to make this request: they navigated to the page, or our own script
// requested it. Pages that mark things read when viewed check this first. Prefetches do not count, nor do images,
// frames or links on other sites, even sibling subdomains, because anyone can place those. A browser that sends none of these
// headers is trusted.
func deliberate(r *http.Request) bool {
	if r.Method != http.MethodGet || prefetch(r) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Dest") {
	case "", "document", "empty":
	default:
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "none", "same-origin":
		return true
	default:
		return false
	}
}

func prefetch(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Sec-Purpose"), "prefetch") || r.Header.Get("Purpose") == "prefetch" ||
		r.Header.Get("X-Moz") == "prefetch"
}
