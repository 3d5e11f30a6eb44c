package api

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
)

// It is not parallel, because it measures the heap of the process.
func TestNamesInRequestsDoNotAccumulateInMemory(t *testing.T) {
	w := newWorld(t)
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	// Each kind sends 1,000 new names per request, or one.
	kinds := map[string]struct {
		each int
		send func(n int)
	}{
		"types of refused notices": {1000, func(n int) {
			many := make([]string, 1000)
			for i := range many {
				many[i] = fmt.Sprintf(`{"target":{"users":["nobody-such"]},"type":"junk%d.%d","title":"A title"}`, n, i)
			}
			w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+strings.Join(many, ",")+`]}`).is(t, http.StatusAccepted)
		}},
		"names of users": {1, func(n int) {
			w.call(t, w.admin, "GET", fmt.Sprintf("/users/nobody%d/badge", n), nil).is(t, http.StatusNotFound)
		}},
		"keys": {1, func(n int) {
			w.call(t, fmt.Sprintf("ck_%043d", n), "GET", "/notices/1", nil).is(t, http.StatusUnauthorized)
		}},
		"lists": {1, func(n int) {
			w.call(t, w.send, "POST", "/notices", fmt.Sprintf(`{"target":{"audiences":[%s"a%d"]}}`, strings.Repeat(`"a",`, maxAudiences), n)).
				is(t, http.StatusUnprocessableEntity)
		}},
	}
	for name, kind := range kinds {
		t.Run(name, func(t *testing.T) {
			kind.send(0)
			before := heap()
			for n := range 10_000 / kind.each {
				kind.send(n + 1)
			}
			if after := heap(); after > before+before/4+1<<20 {
				t.Errorf("%d KiB in use before 10,000 names, %d after", before>>10, after>>10)
			}
		})
	}
	if types, err := w.store.Types(t.Context()); err != nil || len(types) > 1 {
		t.Errorf("refused notices have created types: %d are known, %v", len(types), err)
	}
}
