package handlers

import (
	"net/http"
	"strings"
)

// deliberate reports whether the user meant to make this request: they navigated to the page, or
// our own script asked for it. Pages that mark things read by being viewed check this first. A
// browser that prefetches does not count, nor does an image, a frame or a link on another site,
// even a sibling, because anybody can place those. A browser that sends none of these headers is
// trusted.
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
