package session_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/session"
)

func TestSlipIsReadOnlyOnceByItsUserWithinAMinute(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time { return now }
	old, fresh := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	one := session.NewSlips([][]byte{old}, true, clock)
	another := session.NewSlips([][]byte{fresh, old}, true, clock) // an instance that also has a new key
	put := func(s *session.Slips) *http.Cookie {
		t.Helper()
		w := httptest.NewRecorder()
		if err := s.Put(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/staff/keys", nil), "/staff/keys", 7, `{"Token":"ck_secret"}`); err != nil {
			t.Fatal(err)
		}
		return only(t, w)
	}
	take := func(s *session.Slips, seq int64, c *http.Cookie) (string, *httptest.ResponseRecorder) {
		t.Helper()
		w := httptest.NewRecorder()
		r := request(t, c)
		r.URL.Path = c.Path
		text, ok := s.Take(w, r, seq)
		if ok != (text != "") {
			t.Errorf("%q, %v", text, ok)
		}
		return text, w
	}
	c := put(one)
	if !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/staff/keys" || c.MaxAge != 60 || strings.Contains(c.Value, "secret") {
		t.Errorf("the cookie is %v", c)
	}
	text, w := take(another, 7, c)
	if gone := only(t, w); text != `{"Token":"ck_secret"}` || gone.MaxAge >= 0 || gone.Value != "" || gone.Path != c.Path {
		t.Errorf("the slip is %q, and the cookie afterwards %v", text, gone)
	}
	for name, of := range map[string]func() (string, *httptest.ResponseRecorder){
		"another user": func() (string, *httptest.ResponseRecorder) { return take(one, 8, c) },
		"another key":  func() (string, *httptest.ResponseRecorder) { return take(one, 7, put(another)) },
		"a forged cookie": func() (string, *httptest.ResponseRecorder) {
			return take(one, 7, &http.Cookie{Name: c.Name, Value: c.Value[:40] + "A" + c.Value[41:]})
		},
		"an oversized one": func() (string, *httptest.ResponseRecorder) {
			return take(one, 7, &http.Cookie{Name: c.Name, Value: strings.Repeat("A", 60<<10)})
		},
		"another name": func() (string, *httptest.ResponseRecorder) {
			return take(one, 7, &http.Cookie{Name: "carillon", Value: c.Value})
		},
	} {
		if text, _ := of(); text != "" {
			t.Errorf("%s reads %q", name, text)
		}
	}
	now = now.Add(61 * time.Second)
	if text, _ := take(one, 7, c); text != "" {
		t.Errorf("a minute later the slip is still readable: %q", text)
	}
	if err := session.NewSlips(nil, false, clock).Put(httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil), "/", 7, "x"); err == nil {
		t.Error("a slip was sealed without a key")
	}
}
