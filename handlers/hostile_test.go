package handlers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// hostile maps kinds of requests to functions that create a new name for each request.
var hostile = map[string]func(n int) *http.Request{
	"zones": func(n int) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/inbox", nil)
		// 14 slashes, each with or without a dot after it, give that many spellings of one file.
		var spelling strings.Builder
		for bit := range 14 {
			spelling.WriteString(map[bool]string{true: "./", false: "/"}[n>>bit&1 == 1])
		}
		r.Header.Set("Cookie", "tz=America/"+spelling.String()+"New_York")
		return r
	},
	"cookies": func(n int) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/inbox", nil)
		r.Header.Set("Cookie", fmt.Sprintf("carillon=%d; lang=%d; theme=%d; c%d=1", n, n, n, n))
		return r
	},
	"languages": func(n int) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "/inbox", nil)
		r.Header.Set("Accept-Language", fmt.Sprintf("x-a%d, en-x-b%d;q=0.5", n, n))
		return r
	},
	"addresses": func(n int) *http.Request {
		r := httptest.NewRequest(http.MethodGet, fmt.Sprintf("/nowhere/%d", n), nil)
		r.RemoteAddr = fmt.Sprintf("10.%d.%d.%d:1", n>>16&255, n>>8&255, n&255)
		return r
	},
	"names": func(n int) *http.Request {
		return httptest.NewRequest(http.MethodGet, fmt.Sprintf("/staff/names?q=n%d", n), nil)
	},
	"lists": func(n int) *http.Request {
		to := strings.Repeat("x,", 100) + strconv.Itoa(n)
		r := httptest.NewRequest(http.MethodPost, "/staff/send", strings.NewReader(url.Values{"target": {"user"}, "to": {to}, "type": {fmt.Sprint("t", n)}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		return r
	},
}

// heap returns the memory in use after a garbage collection.
func heap() uint64 {
	runtime.GC()
	runtime.GC() // the first moves pooled objects aside, the second frees them
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestNamesFromRequestsDoNotAccumulateInMemory is not parallel: it measures the process.
func TestNamesFromRequestsDoNotAccumulateInMemory(t *testing.T) {
	w := newWorld(t, nil)
	w.sessions.current = func(*http.Request) (notifier.Signed, bool, error) { // like a cached one
		return notifier.Signed{User: carol, ID: "session-of-carol"}, true, nil
	}
	w.sender.count = func(notifier.Draft) (int64, error) { return 0, nil }
	for name, request := range hostile {
		t.Run(name, func(t *testing.T) {
			send := func(from, to int) {
				for n := from; n < to; n++ {
					r := request(n)
					w.handler.ServeHTTP(httptest.NewRecorder(), r)
					w.log.Reset() // it is the test's own memory
				}
			}
			send(0, 200) // allocate what is allocated only once
			before := heap()
			send(200, 10_200)
			// A megabyte is 100 bytes per request; storing anything for each request needs more.
			if after := heap(); after > before+before/4+1<<20 {
				t.Errorf("%d KiB in use before 10,000 requests, %d after", before>>10, after>>10)
			}
		})
	}
}
