package session_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/internal/session"
)

func TestSessionCookieSetsEveryAttribute(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	for name, place := range map[string]session.Place{
		"carillon": {}, "__Host-carillon": {Secure: true}, "carillon-8081": {Port: "8081"}, "__Host-carillon-8443": {Secure: true, Port: "8443"}, "__Secure-carillon": {Secure: true, Path: "/notifications"},
	} {
		b.cfg.Place = place
		s := b.open()
		set := signIn(t, s, b.alice)
		ignore := cmpopts.IgnoreFields(http.Cookie{}, "Value", "Raw", "RawExpires")
		want := &http.Cookie{
			Name: name, Path: place.Path + "/", MaxAge: 30 * 24 * 3600, HttpOnly: true, Secure: place.Secure, SameSite: http.SameSiteLaxMode,
			Expires: set.Expires,
		}
		if diff := cmp.Diff(want, set, ignore); diff != "" {
			t.Errorf("cookie (-want +got):\n%s", diff)
		}
		w := httptest.NewRecorder()
		if err := signOut(t, s, w, set); err != nil {
			t.Fatal(err)
		}
		gone := only(t, w)
		want.MaxAge, want.Expires = -1, gone.Expires
		if diff := cmp.Diff(want, gone, ignore); diff != "" || gone.Value != "" || !gone.Expires.Before(time.Now()) {
			t.Errorf("cookie after signing out is %v (-want +got):\n%s", gone, diff)
		}
	}
}

func TestACookieFromBeforeItHadThePortGoesOn(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	former := signIn(t, b.open(), b.alice)
	b.cfg.Place.Port = "8081"
	s := b.open()
	wantSigned(t, s, former, "with the former name")
	now := signIn(t, s, b.alice)
	if now.Name == former.Name {
		t.Fatalf("both are %q", now.Name)
	}
	b.cfg.Place.Port = "8082"
	wantAnonymous(t, b.open(), now, "at another port of the host")
}

func TestForeignCookieIsAnonymous(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	good := signIn(t, s, b.alice)
	b.cfg.Keys = [][]byte{key(9)}
	oldKey := signIn(t, b.open(), b.alice)
	wantSigned(t, s, good, "before")
	if err := b.sql.Close(); err != nil { // a query would now be an error
		t.Fatal(err)
	}
	v := good.Value
	for what, value := range map[string]string{
		"empty": "", "truncated": v[:len(v)-1], "half": v[:len(v)/2], "longer": v + "A", "no base64": "%%%" + v,
		"oversized": strings.Repeat(v, 1000), "NUL": strings.Repeat("AAAA", 20), "forged": flip(v, 20), "forged MAC": flip(v, len(v)-8),
		"forged time": flip(v, 2), "old key": oldKey.Value,
	} {
		wantAnonymous(t, s, &http.Cookie{Name: good.Name, Value: value}, what)
	}
	wantAnonymous(t, s, &http.Cookie{Name: "__Host-carillon", Value: v}, "another name")
	wantSigned(t, s, good, "the cookie itself")
}

// flip replaces one character with another from the base64 alphabet.
func flip(s string, i int) string {
	c := byte('A')
	if s[i] == 'A' {
		c = 'B'
	}
	return s[:i] + string(c) + s[i+1:]
}

func TestPlantedCookiesDoNotHideTheRealOne(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	good, ended := signIn(t, s, b.alice), signIn(t, s, b.bob)
	if err := signOut(t, s, httptest.NewRecorder(), ended); err != nil {
		t.Fatal(err)
	}
	for name, planted := range map[string]struct {
		value string
		n     int
	}{
		"short": {"x", 1500}, "of our length": {strings.Repeat("A", len(good.Value)), 120}, "forged": {flip(good.Value, 20), 120},
		"of a session that has ended": {ended.Value, 3},
	} {
		var carried []*http.Cookie
		for range planted.n {
			carried = append(carried, &http.Cookie{Name: good.Name, Value: planted.value})
		}
		if signed, ok := current(t, s, append(carried, good)...); !ok || signed.User.Seq != b.alice.Seq {
			t.Errorf("%d planted cookies (%s) with the same name sign the user out", planted.n, name)
		}
	}
	w := httptest.NewRecorder()
	if err := signOut(t, s, w, &http.Cookie{Name: good.Name, Value: "x"}, ended, good); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, s, good, "signed out behind planted cookies")
}

func TestFirstKeySignsAndAllKeysVerify(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	old := signIn(t, b.open(), b.alice)
	b.cfg.Keys = [][]byte{key(2), key(1)}
	both := b.open()
	wantSigned(t, both, old, "signed with the second key")
	fresh := signIn(t, both, b.alice)
	b.cfg.Keys = [][]byte{key(2)}
	after := b.open()
	wantSigned(t, after, fresh, "signed with the first key")
	wantAnonymous(t, after, old, "the key was removed")
}

func TestSignInFailsWithoutKey(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.Keys = nil
	if err := begin(t, b.open(), httptest.NewRecorder(), b.alice); err == nil {
		t.Error("signed in without a key")
	}
}

func TestStoredIDDoesNotOpenTheSession(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	one, two := signIn(t, s, b.alice), signIn(t, s, b.alice)
	id := wantSigned(t, s, one, "first").ID
	if one.Value == two.Value || id == wantSigned(t, s, two, "second").ID {
		t.Error("two sessions have the same id")
	}
	if len(id) != 64 || strings.Contains(one.Value, id) {
		t.Errorf("id %q; want a hash that is not in the cookie", id)
	}
	if _, ok := current(t, s, &http.Cookie{Name: one.Name, Value: id}); ok {
		t.Error("the id stored in SQL opens the session")
	}
}
