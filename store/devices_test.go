package store_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// register adds a device and returns its id.
func register(t *testing.T, s *store.Store, seq int64, session, endpoint string) (id int64, known bool) {
	t.Helper()
	id, known, err := s.AddDevice(t.Context(), notifier.NewDevice{
		Seq: seq, Session: session, Endpoint: endpoint, Keys: bytes.Repeat([]byte{7}, 81), Label: "Firefox on Linux",
	})
	if err != nil {
		t.Fatal(err)
	}
	return id, known
}

// endpoints lists the endpoints of a user's devices, the oldest first.
func endpoints(t *testing.T, s *store.Store, seq int64) (all []string) {
	t.Helper()
	for _, d := range must(s.Devices(t.Context(), seq, ""))(t) {
		all = append(all, d.Address)
	}
	return all
}

func TestADeviceIsKnownAgainMovesAndIsPushedOut(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob, carol := addUser(t, s, "bob"), addUser(t, s, "carol")
		first, known := register(t, s, bob.Seq, "", "https://push.example/1")
		if known {
			t.Error("a new device is known")
		}
		if got := must(s.Targets(t.Context(), bob.Seq))(t); len(got) != 1 || got[0].Told != db.clock.at.UnixMilli() || got[0].State != notifier.ReachOn {
			t.Errorf("a new device: %+v, want nothing older sent to it", got)
		}
		db.clock.move(time.Minute)
		if again, known := register(t, s, bob.Seq, "", "https://push.example/1"); again != first || !known {
			t.Errorf("registered again: device %d, known %t; want %d, true", again, known, first)
		}
		if got := must(s.Devices(t.Context(), bob.Seq, ""))(t); len(got) != 1 || !got[0].SeenAt.Equal(db.clock.at) || got[0].Here {
			t.Errorf("registered again: %+v", got)
		}
		if moved, known := register(t, s, carol.Seq, "", "https://push.example/1"); moved == first || known {
			t.Errorf("registered by another user: device %d, known %t", moved, known)
		}
		if left := endpoints(t, s, bob.Seq); len(left) > 0 {
			t.Errorf("the first user keeps %v", left)
		}

		var want []string
		for i := range notifier.MaxDevices + 1 {
			want = append(want, fmt.Sprintf("https://push.example/bob/%d", i))
			register(t, s, bob.Seq, "", want[i])
		}
		if got := endpoints(t, s, bob.Seq); !slices.Equal(got, want[1:]) {
			t.Errorf("after the eleventh device: %v, want %v", got, want[1:])
		}
		if got := endpoints(t, s, carol.Seq); len(got) != 1 {
			t.Errorf("another user has %v", got)
		}
	})
}

func TestOnlyTheirUserRemovesADevice(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob, carol := addUser(t, s, "bob"), addUser(t, s, "carol")
		giveMail(t, s, "carol", "carol@example.com")
		id, _ := register(t, s, bob.Seq, "", "https://push.example/1")
		wantIs(t, s.RemoveDevice(t.Context(), carol.Seq, id), notifier.ErrNotFound)
		wantIs(t, s.RemoveDevice(t.Context(), carol.Seq, mailOf(t, s, carol.Seq).ID), notifier.ErrNotFound)
		if err := s.RemoveDevice(t.Context(), bob.Seq, id); err != nil {
			t.Error(err)
		}
		wantIs(t, s.RemoveDevice(t.Context(), bob.Seq, id), notifier.ErrNotFound)
	})
}

// signIn begins a session of a user and registers a device in it, named after the session.
func signIn(t *testing.T, s *store.Store, db *database, u notifier.User, session string) {
	t.Helper()
	if err := s.CreateSession(t.Context(), session, notifier.Signed{User: u}, db.clock.at); err != nil {
		t.Fatal(err)
	}
	register(t, s, u.Seq, session, "https://push.example/"+session)
}

// returnsAlone registers a browser again without a click.
func returnsAlone(t *testing.T, s *store.Store, seq int64, session, endpoint, was string) error {
	t.Helper()
	_, _, err := s.AddDevice(t.Context(), notifier.NewDevice{
		Seq: seq, Session: session, Endpoint: endpoint, Keys: bytes.Repeat([]byte{8}, 81), Label: "Firefox on Linux", Again: true, Was: was,
	})
	return err
}

func wantEndpoints(t *testing.T, s *store.Store, seq int64, what string, want ...string) {
	t.Helper()
	for i := range want {
		want[i] = "https://push.example/" + want[i]
	}
	if got := endpoints(t, s, seq); !slices.Equal(got, want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func TestADeviceEndsWhenItsUserSignsOut(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		for _, session := range []string{"one", "two", "three"} {
			signIn(t, s, db, bob, session)
		}
		register(t, s, bob.Seq, "", "https://push.example/proxied")
		got := must(s.Devices(t.Context(), bob.Seq, "two"))(t)
		if len(got) != 4 || got[0].Here || !got[1].Here || got[3].Here {
			t.Errorf("seen from the second session: %+v", got)
		}
		must(s.EndSession(t.Context(), "one"))(t)
		wantEndpoints(t, s, bob.Seq, "signed out in one browser", "two", "three", "proxied")
		must(s.EndOwnSession(t.Context(), bob.Seq, notifier.Browser("three")))(t)
		wantEndpoints(t, s, bob.Seq, "ended in the list", "two", "proxied")
		must(s.EndSessions(t.Context(), bob.Seq))(t)
		wantEndpoints(t, s, bob.Seq, "signed out everywhere")
		_, _, err := s.AddDevice(t.Context(), notifier.NewDevice{Seq: bob.Seq, Session: "two", Endpoint: "https://push.example/late", Keys: []byte{1}})
		wantIs(t, err, notifier.ErrNotFound)

		signIn(t, s, db, bob, "four")
		register(t, s, bob.Seq, "", "https://push.example/proxied")
		must(s.SetPassword(t.Context(), "bob", "another hash"))(t)
		wantEndpoints(t, s, bob.Seq, "with another password")
	})
}

func TestADeviceOutlivesItsSessionFor90DaysWithoutAMessage(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		signIn(t, s, db, bob, "told")
		signIn(t, s, db, bob, "idle")
		register(t, s, bob.Seq, "", "https://push.example/proxied")
		giveMail(t, s, "bob", "bob@example.com")
		began := db.clock.at
		purge := func(after time.Duration) {
			t.Helper()
			db.clock.at = began.Add(after)
			must(s.PurgeSessions(t.Context(), notifier.SessionLimits{Since: db.clock.at.Add(-30 * 24 * time.Hour), Seen: db.clock.at.Add(-12 * time.Hour), Now: db.clock.at}))(t)
			must(s.PurgeDevices(t.Context(), db.clock.at.Add(-90*24*time.Hour)))(t)
		}
		const day = 24 * time.Hour
		for _, after := range []time.Duration{13 * time.Hour, 31 * day, 90 * day} {
			purge(after)
			wantEndpoints(t, s, bob.Seq, after.String(), "told", "idle", "proxied")
			if _, _, err := sessionOf(t.Context(), s, "told"); err == nil {
				t.Errorf("%s: the session continues", after)
			}
		}
		told := must(s.Devices(t.Context(), bob.Seq, ""))(t)[0].ReachTarget
		step := &notifier.ReachStep{Was: &told, To: told}
		step.To.SeenAt = db.clock.at // as the delivery of an accepted message does
		if err := s.Step(t.Context(), []*notifier.ReachStep{step}); err != nil || !step.Done {
			t.Fatalf("record a message: %v, done %t", err, step.Done)
		}
		purge(91 * day)
		wantEndpoints(t, s, bob.Seq, "91 days", "told")
		purge(180*day + time.Hour)
		wantEndpoints(t, s, bob.Seq, "90 days after the message")
		if mailOf(t, s, bob.Seq).Address != "bob@example.com" {
			t.Error("the mail address ended, too")
		}
	})
}

func TestOnlyTheirOwnBrowserComesBackWithoutAClick(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob, carol := addUser(t, s, "bob"), addUser(t, s, "carol")
		const at = "https://push.example/"
		signIn(t, s, db, bob, "one")
		if err := s.CreateSession(t.Context(), "next", notifier.Signed{User: bob}, db.clock.at); err != nil {
			t.Fatal(err)
		}
		// The user's own browser, with and without the endpoint that it stored, and under a new endpoint.
		must(0, returnsAlone(t, s, bob.Seq, "next", at+"one", ""))(t)
		if got := must(s.Devices(t.Context(), bob.Seq, "next"))(t); len(got) != 1 || !got[0].Here {
			t.Errorf("signed in again: %+v", got)
		}
		must(0, returnsAlone(t, s, bob.Seq, "next", at+"renewed", at+"one"))(t)
		wantEndpoints(t, s, bob.Seq, "with a new subscription", "renewed")

		wantIs(t, returnsAlone(t, s, carol.Seq, "", at+"renewed", at+"renewed"), notifier.ErrConflict)
		wantIs(t, returnsAlone(t, s, carol.Seq, "", at+"other", at+"renewed"), notifier.ErrConflict)
		wantIs(t, returnsAlone(t, s, carol.Seq, "", at+"unheard", ""), notifier.ErrConflict)
		wantEndpoints(t, s, carol.Seq, "another user")
		wantEndpoints(t, s, bob.Seq, "after another user came", "renewed")

		db.clock.move(91 * 24 * time.Hour)
		must(s.PurgeDevices(t.Context(), db.clock.at.Add(-90*24*time.Hour)))(t)
		must(0, returnsAlone(t, s, bob.Seq, "next", at+"renewed", at+"renewed"))(t)
		wantEndpoints(t, s, bob.Seq, "back after 91 days", "renewed")

		// A browser that was ended stays off until a click.
		ends := map[string]func(){
			"removed": func() {
				must(0, s.RemoveDevice(t.Context(), bob.Seq, must(s.Devices(t.Context(), bob.Seq, ""))(t)[0].ID))(t)
			},
			"everywhere": func() { must(s.EndSessions(t.Context(), bob.Seq))(t) },
			"password":   func() { must(s.SetPassword(t.Context(), "bob", "hash"))(t) },
		}
		for what, end := range ends {
			end()
			wantIs(t, returnsAlone(t, s, bob.Seq, "", at+"renewed", at+"renewed"), notifier.ErrConflict)
			wantIs(t, returnsAlone(t, s, bob.Seq, "", at+"fresh", at+"renewed"), notifier.ErrConflict)
			wantEndpoints(t, s, bob.Seq, what)
			register(t, s, bob.Seq, "", at+"renewed")
			must(0, returnsAlone(t, s, bob.Seq, "", at+"renewed", ""))(t)
			wantEndpoints(t, s, bob.Seq, what+", then a click", "renewed")
		}
	})
}

func TestAnotherSessionInTheSameBrowserKeepsTheDevicesOfItsUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob, carol := addUser(t, s, "bob"), addUser(t, s, "carol")
		signIn(t, s, db, bob, "one")
		for _, id := range []string{"two", "carols"} {
			if err := s.CreateSession(t.Context(), id, notifier.Signed{User: map[string]notifier.User{"two": bob, "carols": carol}[id]}, db.clock.at); err != nil {
				t.Fatal(err)
			}
		}
		must(s.ReplaceSession(t.Context(), "one", "two", bob.Seq))(t)
		if got := must(s.Devices(t.Context(), bob.Seq, "two"))(t); len(got) != 1 || !got[0].Here {
			t.Errorf("the same user again: %+v", got)
		}
		must(s.ReplaceSession(t.Context(), "two", "carols", carol.Seq))(t)
		wantEndpoints(t, s, bob.Seq, "another user in the same browser")
		wantEndpoints(t, s, carol.Seq, "another user in the same browser")
	})
}

func TestAPasswordChangeKeepsTheBrowserInWhichItIsMade(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		signIn(t, s, db, bob, "here")
		signIn(t, s, db, bob, "there")
		register(t, s, bob.Seq, "", "https://push.example/proxied")
		ended := must(s.ChangePassword(t.Context(), bob.Seq, "new hash", "here", "renewed"))(t)
		if len(ended) != 2 {
			t.Errorf("ended %v; want the other session and the former id", ended)
		}
		wantEndpoints(t, s, bob.Seq, "after the change", "here")
		if got := must(s.SessionsOf(t.Context(), bob.Seq))(t); !slices.Equal(got, []string{"renewed"}) {
			t.Errorf("sessions are %v", got)
		}
		_, err := s.ChangePassword(t.Context(), bob.Seq, "lost", "here", "late")
		wantIs(t, err, notifier.ErrNotFound)
		if _, hash, err := s.Credentials(t.Context(), "bob"); err != nil || hash != "new hash" {
			t.Errorf("the hash is %q, %v", hash, err)
		}
	})
}

func TestEndedDevicesAreRememberedUpToABound(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		for i := range 25 {
			db.clock.move(time.Second)
			id, _ := register(t, s, bob.Seq, "", fmt.Sprint("https://push.example/", i))
			must(0, s.RemoveDevice(t.Context(), bob.Seq, id))(t)
		}
		wantIs(t, returnsAlone(t, s, bob.Seq, "", "https://push.example/5", "https://push.example/5"), notifier.ErrConflict)
		must(0, returnsAlone(t, s, bob.Seq, "", "https://push.example/4", "https://push.example/4"))(t)
	})
}

func TestASecretIsMadeOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		first := must(s.Secret(t.Context(), "vapid", func() ([]byte, error) {
			// Another instance stores its secret first.
			if got := must(other.Secret(t.Context(), "vapid", func() ([]byte, error) { return []byte("theirs"), nil }))(t); string(got) != "theirs" {
				t.Errorf("the faster instance has %q", got)
			}
			return []byte("ours"), nil
		}))(t)
		if string(first) != "theirs" {
			t.Errorf("the slower instance has %q", first)
		}
		if err := s.ReplaceSecret(t.Context(), "vapid", []byte("stale"), []byte("lost")); err != nil {
			t.Fatal(err)
		}
		if err := s.ReplaceSecret(t.Context(), "vapid", first, []byte("resealed")); err != nil {
			t.Fatal(err)
		}
		if got := must(other.Secret(t.Context(), "vapid", nil))(t); string(got) != "resealed" {
			t.Errorf("after it was replaced: %q", got)
		}
	})
}
