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
			t.Errorf("a new device: %+v, want it to tell nothing older", got)
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

func TestADeviceEndsWithItsSession(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := addUser(t, s, "bob")
		for _, session := range []string{"one", "two"} {
			if err := s.CreateSession(t.Context(), session, notifier.Signed{User: bob}, db.clock.at); err != nil {
				t.Fatal(err)
			}
			register(t, s, bob.Seq, session, "https://push.example/"+session)
		}
		register(t, s, bob.Seq, "", "https://push.example/proxied")
		got := must(s.Devices(t.Context(), bob.Seq, "two"))(t)
		if len(got) != 3 || got[0].Here || !got[1].Here || got[2].Here {
			t.Errorf("seen from the second session: %+v", got)
		}
		if _, err := s.EndSession(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		if got := endpoints(t, s, bob.Seq); !slices.Equal(got, []string{"https://push.example/two", "https://push.example/proxied"}) {
			t.Errorf("after the end of a session: %v", got)
		}
		if _, err := s.EndSessions(t.Context(), bob.Seq); err != nil {
			t.Fatal(err)
		}
		if got := endpoints(t, s, bob.Seq); len(got) > 0 {
			t.Errorf("signed out everywhere: %v", got)
		}
		_, _, err := s.AddDevice(t.Context(), notifier.NewDevice{Seq: bob.Seq, Session: "two", Endpoint: "https://push.example/late", Keys: []byte{1}})
		wantIs(t, err, notifier.ErrNotFound)
	})
}

func TestASecretIsMadeOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s, other := db.open(t), db.open(t)
		first := must(s.Secret(t.Context(), "vapid", func() ([]byte, error) {
			// Another instance is faster.
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
