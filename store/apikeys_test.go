package store_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestKeyIsFoundOnlyByItsExactHash(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		if none := must(s.Keys(t.Context()))(t); len(none) > 0 {
			t.Errorf("an empty store lists %v", none)
		}
		var all []notifier.APIKey
		for i, scopes := range [][]notifier.KeyScope{
			{notifier.ScopeSend}, {notifier.ScopeAdmin, notifier.ScopeRead, notifier.ScopeAdmin}, {notifier.ScopeRead, notifier.ScopeSend},
		} {
			asked := notifier.APIKey{ID: 99, Name: "photos", Scopes: scopes, UsedAt: db.clock.now(), RevokedAt: db.clock.now()}
			k, err := s.AddKey(t.Context(), notifier.Actor{}, asked, []byte{'h', byte(i), 0xff})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, k)
			db.clock.move(time.Second)
		}
		start := db.clock.now().Add(-3 * time.Second)
		want := []notifier.APIKey{
			{ID: 1, Name: "photos", Scopes: []notifier.KeyScope{"send"}, CreatedAt: start},
			{ID: 2, Name: "photos", Scopes: []notifier.KeyScope{"read", "admin"}, CreatedAt: start.Add(time.Second)},
			{ID: 3, Name: "photos", Scopes: []notifier.KeyScope{"send", "read"}, CreatedAt: start.Add(2 * time.Second)},
		}
		if diff := cmp.Diff(want, all); diff != "" {
			t.Errorf("added (-want +got):\n%s", diff)
		}
		slices.Reverse(all)
		if diff := cmp.Diff(all, must(s.Keys(t.Context()))(t)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		if k := must(s.KeyByHash(t.Context(), []byte{'h', 1, 0xff}))(t); k.ID != 2 {
			t.Errorf("the second hash returns key %d", k.ID)
		}
		for _, hash := range [][]byte{nil, {}, {'h'}, {'h', 1}, {'H', 1, 0xff}} {
			_, err := s.KeyByHash(t.Context(), hash)
			wantIs(t, err, notifier.ErrNotFound)
		}
		_, err := s.AddKey(t.Context(), notifier.Actor{}, want[0], []byte{'h', 1, 0xff})
		wantIs(t, err, notifier.ErrConflict)
		_, err = s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "a\x00", Scopes: []notifier.KeyScope{"send"}}, []byte{1})
		invalid(t, err, "name", notifier.CodeBadName, map[string]any{"Name": "a\ufffd"})
		_, err = s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "a", Scopes: []notifier.KeyScope{"write"}}, []byte{1})
		invalid(t, err, "scope", notifier.CodeBadKeyScope, map[string]any{"Name": "write", "Known": "send, read, admin"})
		if n := len(must(s.Keys(t.Context()))(t)); n != 3 {
			t.Errorf("%d keys are stored; want 3", n)
		}
	})
}

// TestFormPostedManyTimesCreatesOneKey posts a form concurrently and then again.
func TestFormPostedManyTimesCreatesOneKey(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		asked := notifier.APIKey{Name: "photos", Scopes: []notifier.KeyScope{"send"}}
		var all sync.WaitGroup
		var made atomic.Int64
		ids := make([]int64, 20)
		for i := range ids {
			all.Go(func() {
				k, repeated, err := s.AddKeyOnce(t.Context(), notifier.Actor{}, asked, []byte{'h', byte(i)}, "form 1")
				if err != nil {
					t.Error(err)
				}
				if ids[i] = k.ID; !repeated {
					made.Add(1)
				}
			})
		}
		all.Wait()
		if kept := must(s.Keys(t.Context()))(t); len(kept) != 1 || made.Load() != 1 || ids[0] == 0 || len(slices.Compact(slices.Sorted(slices.Values(ids)))) != 1 {
			t.Errorf("%d keys are stored, %d posts created one, the returned ids are %v", len(kept), made.Load(), ids)
		}
		if other, repeated, err := s.AddKeyOnce(t.Context(), notifier.Actor{}, asked, []byte("other"), "form 2"); err != nil || repeated || other.ID == ids[0] {
			t.Errorf("another form returns %+v, %v, %v", other, repeated, err)
		}
		must(s.AddKey(t.Context(), notifier.Actor{}, asked, []byte("a")))(t)
		must(s.AddKey(t.Context(), notifier.Actor{}, asked, []byte("b")))(t) // without a form id, each call adds a key
	})
}

func TestRevokedKeyStaysRevoked(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		k := must(s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "photos", Scopes: []notifier.KeyScope{"send"}}, []byte("one")))(t)
		other := must(s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "photos", Scopes: []notifier.KeyScope{"send"}}, []byte("two")))(t)
		k.RevokedAt = db.clock.now()
		for range 2 {
			if diff := cmp.Diff(k, must(s.RevokeKey(t.Context(), notifier.Actor{}, k.ID))(t)); diff != "" {
				t.Errorf("revoked (-want +got):\n%s", diff)
			}
			db.clock.move(time.Hour)
		}
		if diff := cmp.Diff(k, must(s.KeyByHash(t.Context(), []byte("one")))(t)); diff != "" {
			t.Errorf("by its hash (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]notifier.APIKey{other, k}, must(s.Keys(t.Context()))(t)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}
		for _, id := range []int64{0, -1, 99} {
			_, err := s.RevokeKey(t.Context(), notifier.Actor{}, id)
			wantIs(t, err, notifier.ErrNotFound)
		}
	})
}

func TestTouchKeysKeepsTheLatestUse(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, hash := range []string{"one", "two", "three"} {
			must(s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: hash, Scopes: []notifier.KeyScope{"send"}}, []byte(hash)))(t)
		}
		now := db.clock.now()
		for _, used := range []map[int64]time.Time{nil, {1: now.Add(time.Minute), 2: now, 99: now}, {1: now, 2: now.Add(time.Second)}} {
			if err := s.TouchKeys(t.Context(), used); err != nil {
				t.Fatal(err)
			}
		}
		for hash, want := range map[string]time.Time{"one": now.Add(time.Minute), "two": now.Add(time.Second), "three": {}} {
			if k := must(s.KeyByHash(t.Context(), []byte(hash)))(t); !k.UsedAt.Equal(want) {
				t.Errorf("%s was used at %v; want %v", hash, k.UsedAt, want)
			}
		}
	})
}

func TestAnAPIKeyOfAnAppIsReplaced(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		by := notifier.Actor{Ref: notifier.CommandRef("test")}
		app := must(s.AddApp(t.Context(), notifier.Actor{}, notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour}, nil, []byte("hash 1")))(t)
		other := must(s.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "shop", Scopes: []notifier.KeyScope{notifier.ScopeRead}}, []byte("other")))(t)
		key := func(hash string) notifier.APIKey { return must(s.KeyByHash(t.Context(), []byte(hash)))(t) }
		second := must(s.RotateAPIKey(t.Context(), by, "shop", []byte("hash 2"), time.Time{}))(t)
		if second.AppID != app.ID || second.Name != "shop" || !slices.Equal(second.Scopes, []notifier.KeyScope{notifier.ScopeSend}) {
			t.Errorf("the new key is %+v", second)
		}
		if !key("hash 1").RevokedAt.IsZero() {
			t.Error("without an end, the old key ends")
		}
		end := db.clock.now().Add(time.Hour)
		must(s.RotateAPIKey(t.Context(), by, "shop", []byte("hash 3"), end))(t)
		for _, hash := range []string{"hash 1", "hash 2"} {
			if k := key(hash); !k.RevokedAt.Equal(end) || k.Revoked(end.Add(-time.Second)) || !k.Revoked(end) {
				t.Errorf("%s ends at %v, want %v", hash, k.RevokedAt, end)
			}
		}
		if k := key("hash 3"); k.Revoked(end.Add(time.Hour)) || !key("other").RevokedAt.IsZero() || other.AppID != 0 {
			t.Errorf("the newest key, or one of another application, ends: %+v", k)
		}
		must(s.RotateAPIKey(t.Context(), by, "shop", []byte("hash 4"), end.Add(time.Hour)))(t)
		if k := key("hash 1"); !k.RevokedAt.Equal(end) {
			t.Errorf("a later end has replaced %v by %v", end, k.RevokedAt)
		}
		now := db.clock.now()
		if k := must(s.RevokeKey(t.Context(), by, key("hash 1").ID))(t); !k.Revoked(now) {
			t.Error("a key that has yet to end cannot be revoked")
		}
		must(s.RevokeKey(t.Context(), by, key("hash 1").ID))(t) // changes nothing and is not recorded
		for n := 5; n < 5+notifier.MaxAppKeys-3; n++ {
			must(s.RotateAPIKey(t.Context(), by, "shop", []byte{byte(n)}, time.Time{}))(t)
		}
		_, err := s.RotateAPIKey(t.Context(), by, "shop", []byte("too many"), time.Time{})
		wantIs(t, err, notifier.ErrConflict)
		must(s.RevokeApp(t.Context(), notifier.Actor{}, "shop"))(t)
		for _, hash := range []string{"hash 2", "hash 4"} {
			if !key(hash).Revoked(db.clock.now()) {
				t.Errorf("%s outlives its app", hash)
			}
		}
		_, err = s.RotateAPIKey(t.Context(), by, "shop", []byte("hash 5"), time.Time{})
		wantIs(t, err, notifier.ErrNotFound)
		counts := map[string]int{}
		for _, e := range must(s.AuditLog(t.Context(), 0, 500))(t) {
			counts[e.Action+" "+string(e.Object.Kind)+" "+e.Object.ID]++
		}
		if want := map[string]int{"app.rotate app shop": 3 + notifier.MaxAppKeys - 3, "key.revoke key shop": 1}; !cmp.Equal(want, counts) {
			t.Errorf("the audit log has %v, want %v", counts, want)
		}
	})
}
