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
)

func TestAnUnknownUserCostsAsMuchAsAKnownOne(t *testing.T) {
	t.Parallel()
	params, _, _, err := argon2id.DecodeHash(dummyHash)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(hashParams(), params); diff != "" {
		t.Errorf("the dummy hash has other parameters than users' hashes (-want +got):\n%s", diff)
	}
	// With all processors taken, an answer before the deadline would come from
	// an attempt that hashes nothing.
	g := NewGate(GateConfig{Users: nobody{}})
	for range cap(g.checks) {
		g.checks <- struct{}{}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := g.Check(ctx, "nobody", "whatever", "192.0.2.1"); err == nil || ctx.Err() == nil {
		t.Errorf("an unknown user was answered without hashing: %v", err)
	}
}

type nobody struct{}

func (nobody) Credentials(context.Context, string) (notifier.User, string, error) {
	return notifier.User{}, "", notifier.ErrNotFound
}

func TestLocalCountersAreBounded(t *testing.T) {
	t.Parallel()
	l := localCounts{now: time.Now}
	for i := range maxLocal + 20 { // each above it looks at all the others
		l.add([]quota{{strconv.Itoa(i), 1}})
	}
	if len(l.counts) > maxLocal {
		t.Errorf("%d counters are kept; want %d at most", len(l.counts), maxLocal)
	}
}

// FuzzCopy checks that a copy says what was put in, whatever names there are,
// and that no text in Redis makes the reader stumble.
func FuzzCopy(f *testing.F) {
	f.Add("alice", "ja", "dark", "picker staff", int64(7), 3, true, false)
	f.Add("", "", "", "", int64(-1), 0, false, true)
	f.Fuzz(func(t *testing.T, name, locale, theme, roles string, seq int64, audience int, keysOff, toastsOff bool) {
		_, _ = decode("id", name)
		if strings.Contains(name+locale+theme+roles, separator) {
			return // no such name is made
		}
		want := Signed{ID: "id", Since: time.UnixMilli(1_700_000_000_000).UTC(), User: notifier.User{
			Seq: seq, Name: name, Audience: notifier.Audience(audience), Roles: strings.Fields(roles),
			Settings: notifier.Settings{Locale: locale, Theme: theme, KeysOff: keysOff, ToastsOff: toastsOff},
		}}
		got, ok := decode("id", encode(want))
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); !ok || diff != "" {
			t.Errorf("ok = %v (-want +got):\n%s", ok, diff)
		}
	})
}

func BenchmarkVerifyAndDecode(b *testing.B) {
	c := newCookie([][]byte{make([]byte, 32)}, false)
	value, id, err := c.issue()
	if err != nil {
		b.Fatal(err)
	}
	r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "/inbox", http.NoBody)
	r.AddCookie(&http.Cookie{Name: plainName, Value: value})
	text := encode(Signed{ID: id, User: notifier.User{Seq: 7, Name: "alice", Roles: []string{"staff"}}})
	b.ReportAllocs()
	for b.Loop() {
		if got, ok := c.read(r); !ok || got != id {
			b.Fatal("not our cookie")
		}
		if _, ok := decode(id, text); !ok {
			b.Fatal("not our copy")
		}
	}
}
