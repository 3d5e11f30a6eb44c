package api

import (
	"net/http"
	"testing"
	"time"
)

func TestEachKeyHasItsOwnRateLimit(t *testing.T) {
	t.Parallel()
	var c watch
	b := newBuckets(10, c.now)
	for i := range 10 {
		if a, ok := b.Take(t.Context(), "7", 1); !ok || a.Remaining != 9-i || a.Limit != 10 || a.Window != time.Second {
			t.Fatalf("request %d: %+v, %v", i, a, ok)
		}
	}
	a, ok := b.Take(t.Context(), "7", 1)
	if ok || a.Remaining != 0 || a.Reset != 100*time.Millisecond {
		t.Errorf("the eleventh request: %+v, %v", a, ok)
	}
	if a, ok := b.Take(t.Context(), "8", 1); !ok || a.Remaining != 9 {
		t.Errorf("another key: %+v, %v", a, ok)
	}
	c.advance(100 * time.Millisecond)
	if a, ok := b.Take(t.Context(), "7", 1); !ok || a.Remaining != 0 {
		t.Errorf("a tenth of a second later: %+v, %v", a, ok)
	}
	if _, ok := b.Take(t.Context(), "7", 1); ok {
		t.Error("another request at the same time was allowed")
	}
	c.advance(time.Hour)
	if a, ok := b.Take(t.Context(), "7", 1); !ok || a.Remaining != 9 {
		t.Errorf("an hour later: %+v, %v", a, ok)
	}
}

func TestARequestAboveTheLimitIsToldWhenToRetry(t *testing.T) {
	t.Parallel()
	var c watch
	w := newWorld(t, func(cfg *Config) { cfg.Rate, cfg.Now = 2, c.now })
	for i, left := range []string{"1", "0"} {
		res := w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusNotFound)
		if got := res.Header.Get("RateLimit"); got != `"key";r=`+left+`;t=`+[]string{"0", "1"}[i] {
			t.Errorf("RateLimit: %s", got)
		}
		if got := res.Header.Get("RateLimit-Policy"); got != `"key";q=2;w=1` {
			t.Errorf("RateLimit-Policy: %s", got)
		}
	}
	res := w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusTooManyRequests)
	if res.Header.Get("Retry-After") != "1" || res.Header.Get("RateLimit") == "" {
		t.Errorf("%v", res.Header)
	}
	w.call(t, w.admin, "GET", "/notices/1", nil).is(t, http.StatusNotFound)
	c.advance(time.Second)
	w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusNotFound)
}

func TestWithoutARateRequestsAreNotLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 100 {
		if res := w.call(t, w.send, "GET", "/notices/1", nil).is(t, http.StatusNotFound); res.Header.Get("RateLimit") != "" {
			t.Fatal(res.Header)
		}
	}
}
