package api

import (
	"net/http"
	"testing"
	"time"
)

func TestEachKeyHasItsOwnRateLimit(t *testing.T) {
	t.Parallel()
	var c watch
	b := newBuckets(10, limitWindow, c.now)
	for i := range 10 {
		if remaining, _, ok := b.take(7); !ok || remaining != 9-i {
			t.Fatalf("request %d: %d left, %v", i, remaining, ok)
		}
	}
	if remaining, reset, ok := b.take(7); ok || remaining != 0 || reset != 100*time.Millisecond {
		t.Errorf("the eleventh request: %d left, %v, %v", remaining, reset, ok)
	}
	if remaining, _, ok := b.take(8); !ok || remaining != 9 {
		t.Errorf("another key: %d left, %v", remaining, ok)
	}
	c.advance(100 * time.Millisecond)
	if remaining, _, ok := b.take(7); !ok || remaining != 0 {
		t.Errorf("a tenth of a second later: %d left, %v", remaining, ok)
	}
	if _, _, ok := b.take(7); ok {
		t.Error("another request at the same time was allowed")
	}
	c.advance(time.Hour)
	if remaining, _, ok := b.take(7); !ok || remaining != 9 {
		t.Errorf("an hour later: %d left, %v", remaining, ok)
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

func TestAUserHasABurstAndThenARate(t *testing.T) {
	t.Parallel()
	var c watch
	w := newWorld(t, func(cfg *Config) { cfg.UserRate, cfg.Now = 2, c.now })
	for range 6 {
		w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusOK)
	}
	if got := w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusTooManyRequests).Header.Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After: %s", got)
	}
	again := w.token(t, "bob", map[string]any{"jti": "another token"})
	w.call(t, again, "GET", "/me/badge", nil).is(t, http.StatusTooManyRequests)
	w.call(t, w.token(t, "erin", nil), "GET", "/me/badge", nil).is(t, http.StatusOK)
	c.advance(500 * time.Millisecond)
	w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusOK)
	w.call(t, w.bob, "GET", "/me/badge", nil).is(t, http.StatusTooManyRequests)
}

func TestFullBucketsAreDropped(t *testing.T) {
	t.Parallel()
	var c watch
	b := newBuckets(10, limitWindow, c.now)
	for caller := range int64(10 * fewBuckets) {
		b.take(caller)
		c.advance(limitWindow / fewBuckets * 2)
	}
	if len(b.full) > 2*fewBuckets {
		t.Errorf("%d buckets are kept", len(b.full))
	}
}
