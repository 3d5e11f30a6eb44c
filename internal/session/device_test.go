package session_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
)

// newDoors configures sign-ins of alice and bob.
func newDoors(t *testing.T) session.SignInConfig {
	t.Helper()
	return session.SignInConfig{Users: everyone(t), Keys: [][]byte{key(1)}, Redis: redistest.Client(t), Space: redistest.Space(t)}
}

// enter signs in with the right password and returns the device cookie.
func enter(t *testing.T, g *session.SignIns, name string, carried ...*http.Cookie) *http.Cookie {
	t.Helper()
	_, c, err := g.Check(request(t, carried...), name, right, "192.0.2.50")
	if err != nil || c == nil {
		t.Fatalf("%s cannot sign in: %v, cookie %v", name, err, c)
	}
	return c
}

func TestKnownDeviceOpensAnAccountLockedByStrangers(t *testing.T) {
	t.Parallel()
	for _, where := range []string{"Redis", "this process"} {
		d := newDoors(t)
		if where != "Redis" {
			d.Redis = nil
		}
		g := session.NewSignIns(d)
		known, bobs := enter(t, g, "alice"), enter(t, g, "bob")
		fails(t, g, 10, "alice", "192.0.2.1")
		_, err := check(t, g, "alice", right, "192.0.2.2")
		wantRefused(t, err, where+": a stranger with the right password")
		_, err = check(t, g, "alice", right, "192.0.2.2", bobs)
		wantRefused(t, err, where+": another user's device")
		// After nine failures from her own browser, alice can still sign in, and strangers cannot.
		for range 9 {
			_, err = check(t, g, "alice", "mistyped", "192.0.2.3", known)
			wantIs(t, err, notifier.ErrUnauthenticated)
		}
		known = enter(t, g, "alice", known)
		_, err = check(t, g, "alice", right, "192.0.2.2")
		wantRefused(t, err, where+": a stranger afterwards")
		_, err = check(t, g, "alice", "mistyped", "192.0.2.3", known)
		wantIs(t, err, notifier.ErrUnauthenticated)
		_, err = check(t, g, "alice", right, "192.0.2.3", known)
		wantRefused(t, err, where+": the device after 10 failures of its own")
		if _, err = check(t, g, "bob", right, "192.0.2.3", known, bobs); err != nil {
			t.Errorf("%s: bob: %v", where, err)
		}
	}
}

func TestFailuresOnKnownDeviceCountForAccountAndAddress(t *testing.T) {
	t.Parallel()
	g := session.NewSignIns(newDoors(t))
	known := enter(t, g, "alice")
	for range 10 {
		_, err := check(t, g, "alice", "mistyped", "192.0.2.1", known)
		wantIs(t, err, notifier.ErrUnauthenticated)
	}
	_, err := check(t, g, "alice", right, "192.0.2.9")
	wantRefused(t, err, "the account after 10 failures")
	bobs := enter(t, g, "bob")
	for i := range 90 {
		fails(t, g, 1, fmt.Sprint("user ", i), "192.0.2.1")
	}
	_, err = check(t, g, "bob", right, "192.0.2.1")
	wantRefused(t, err, "a stranger at the address after 100 failures")
	// A user who shares the address with an attacker can sign in from their own browser, until its own limit.
	if _, err = check(t, g, "bob", right, "192.0.2.1", bobs); err != nil {
		t.Fatalf("a known device at the address after 100 failures: %v", err)
	}
	for range 10 {
		_, err = check(t, g, "bob", "mistyped", "192.0.2.1", bobs)
		wantIs(t, err, notifier.ErrUnauthenticated)
	}
	_, err = check(t, g, "bob", right, "192.0.2.1", bobs)
	wantRefused(t, err, "a known device after 10 failures of its own")
}

func TestDeviceCookieIsBoundToAccountAndPassword(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	g := session.NewSignIns(d)
	good := enter(t, g, "alice")
	other := d
	other.Keys = [][]byte{key(9)}
	elsewhere := enter(t, session.NewSignIns(other), "alice")
	fails(t, g, 10, "alice", "192.0.2.1")
	b := setUp(t)
	signedIn := signIn(t, b.open(), notifier.User{Seq: b.alice.Seq}) // with the same key
	for what, value := range map[string]string{
		"empty": "", "forged": flip(good.Value, 30), "forged MAC": flip(good.Value, len(good.Value)-8),
		"another key": elsewhere.Value, "a session": signedIn.Value, "long": good.Value + good.Value,
	} {
		_, err := check(t, g, "alice", right, "192.0.2.2", &http.Cookie{Name: good.Name, Value: value})
		wantRefused(t, err, what)
	}
	if _, err := check(t, g, "alice", right, "192.0.2.2", &http.Cookie{Name: good.Name, Value: "planted"}, good); err != nil {
		t.Errorf("after a planted cookie: %v", err)
	}
	if _, ok := current(t, b.open(), &http.Cookie{Name: "carillon", Value: good.Value}); ok {
		t.Error("the device cookie opens a session")
	}
	if _, err := d.Users.SetPassword(t.Context(), "alice", cheapHash(t)); err != nil { // the same password with another salt
		t.Fatal(err)
	}
	_, err := check(t, g, "alice", right, "192.0.2.2", good)
	wantRefused(t, err, "a device from before the password was changed")
}

func TestDeviceCookieSetsEveryAttribute(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	for name, place := range map[string]session.Place{
		"carillon_device": {}, "__Host-carillon_device": {Secure: true}, "__Secure-carillon_device": {Secure: true, Path: "/notifications"},
	} {
		d.Place = place
		set := enter(t, session.NewSignIns(d), "alice")
		want := &http.Cookie{
			Name: name, Path: place.Path + "/", MaxAge: 180 * 24 * 3600, HttpOnly: true, Secure: place.Secure, SameSite: http.SameSiteLaxMode, Expires: set.Expires,
		}
		if diff := cmp.Diff(want, set, cmpopts.IgnoreFields(http.Cookie{}, "Value")); diff != "" {
			t.Errorf("cookie (-want +got):\n%s", diff)
		}
		if !set.Expires.After(time.Now().Add(179 * 24 * time.Hour)) {
			t.Errorf("expires %v; want in 180 days", set.Expires)
		}
	}
}

func TestDeviceKeepsItsIDAcrossSignIns(t *testing.T) {
	t.Parallel()
	d := newDoors(t)
	g := session.NewSignIns(d)
	known := enter(t, g, "alice")
	for range 9 {
		_, err := check(t, g, "alice", "mistyped", "192.0.2.1", known)
		wantIs(t, err, notifier.ErrUnauthenticated)
	}
	renewed := enter(t, g, "alice", known)
	_, err := check(t, g, "alice", "mistyped", "192.0.2.1", renewed)
	wantIs(t, err, notifier.ErrUnauthenticated)
	_, err = check(t, g, "alice", right, "192.0.2.1", known)
	wantRefused(t, err, "a sign-in must not start a new quota")
}
