package session

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestUnknownUserTakesAsLongAsKnownOne(t *testing.T) {
	t.Parallel()
	params, _, _, err := argon2id.DecodeHash(dummyHash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hashParams(), params); diff != "" {
		t.Errorf("the parameters of the dummy hash differ from those of users' hashes (-want +got):\n%s", diff)
	}
	// While all processors are busy, only an attempt that hashes nothing can return before the deadline.
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	g := NewSignIns(SignInConfig{Users: db})
	for range cap(g.checks) {
		g.checks <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/login", http.NoBody)
	if _, _, err := g.Check(r, "nobody", "whatever", "192.0.2.1"); err == nil || ctx.Err() == nil {
		t.Errorf("the attempt of an unknown user did not hash: %v", err)
	}
}

func TestLocalCountersAreBounded(t *testing.T) {
	t.Parallel()
	l := localCounts{now: time.Now}
	for i := range maxLocal + 20 { // each one above the limit scans all the others
		l.add(quotas{{strconv.Itoa(i), 1}})
	}
	if len(l.counts) > maxLocal {
		t.Errorf("%d counters; want at most %d", len(l.counts), maxLocal)
	}
}

// FuzzCopy checks that a decoded copy equals the encoded session, whatever the names, and that no
// text in Redis makes decode panic.
func FuzzCopy(f *testing.F) {
	f.Add("alice", "ja", "dark", "picker staff", int64(7), 3, true, false, true, true, int64(1_700_000_000_000))
	f.Add("", "", "", "", int64(-1), 0, false, true, false, false, int64(0))
	f.Fuzz(func(t *testing.T, name, locale, theme, roles string, seq int64, audience int, keysOff, toastsOff, opensOnly, compact bool, paused int64) {
		_, _ = decode("id", name)
		if strings.Contains(name+locale+theme+roles, separator) {
			return // no such name can exist
		}
		want := Signed{ID: "id", Since: time.UnixMilli(1_700_000_000_000).UTC(), User: notifier.User{
			Seq: seq, Name: name, Audience: notifier.Audience(audience), Roles: strings.Fields(roles),
			Settings: notifier.Settings{Locale: locale, Theme: theme, KeysOff: keysOff, ToastsOff: toastsOff, OpensOnly: opensOnly, Compact: compact}, Paused: paused,
		}}
		got, ok := decode("id", encode(want))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); !ok || diff != "" {
			t.Errorf("ok = %v (-want +got):\n%s", ok, diff)
		}
	})
}

func BenchmarkVerifyAndDecode(b *testing.B) {
	c := newCookie(plainName, [][]byte{make([]byte, 32)}, Place{}, maxAge)
	value, id, err := c.issue()
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/inbox", http.NoBody)
	r.AddCookie(&http.Cookie{Name: plainName, Value: value})
	text := encode(Signed{ID: id, User: notifier.User{Seq: 7, Name: "alice", Roles: []string{"staff"}}})
	b.ReportAllocs()
	for b.Loop() {
		for raw := range c.read(r) {
			if hash(raw) != id {
				b.Fatal("not our cookie")
			}
		}
		if _, ok := decode(id, text); !ok {
			b.Fatal("not our copy")
		}
	}
}
