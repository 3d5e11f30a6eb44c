package toast_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/toast"
)

func TestTakeReturnsTheWholeToastUntilItIsAcknowledged(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		before := time.Now().Add(-time.Second)
		r := notifier.ToastRaise{NoticeID: 17, Key: "like:photo:1", Content: []byte(`{"title":"a\nb"}`), Seqs: []int64{ann}}
		s.raise(t, r)
		if by, count := s.held(t, 7, s.ids(t, ann)[0]); by != "waiting" || count != 1 {
			t.Errorf("before the first take it is held by %q after %d deliveries", by, count)
		}
		for tries := int64(1); tries <= 2; tries++ { // twice, as when the reply to the first call is lost
			got := take(t, s.a, ann)
			if len(got.Toasts) != 1 || got.Again != 0 {
				t.Fatalf("taken: %+v", got)
			}
			one := got.Toasts[0]
			if one.RaisedAt.Before(before) || one.RaisedAt.After(time.Now().Add(time.Second)) {
				t.Errorf("raised at %v", one.RaisedAt)
			}
			one.RaisedAt = time.Time{}
			want := notifier.Toast{ID: s.ids(t, ann)[0], NoticeID: 17, Key: r.Key, Content: r.Content, Tries: tries}
			if d := cmp.Diff(want, one); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		}
		ids := s.ids(t, ann)
		if err := s.b.Ack(t.Context(), ann, ids); err != nil {
			t.Error(err)
		}
		s.empty(t, 7, ann)
		if got := taken(t, s.a, ann); got != "" {
			t.Errorf("taken after the acknowledgement: %s", got)
		}
		if err := s.b.Ack(t.Context(), ann, ids); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("second acknowledgement: %v, want ErrNotFound", err)
		}
		if got, want := s.a.Stats(), (toast.Stats{Raised: 1, Taken: 2}); got != want {
			t.Errorf("stats of a %+v, want %+v", got, want)
		}
		if got, want := s.b.Stats(), (toast.Stats{Acked: 1, Failed: 0}); got != want {
			t.Errorf("stats of b %+v, want %+v", got, want)
		}
	})
}

func TestAckIgnoresAnotherUsersToast(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann))
		for _, ids := range [][]string{s.ids(t, ann), {"1-1"}, {"what", "ever"}, {""}} {
			if err := s.a.Ack(t.Context(), bob, ids); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("bob acknowledges %v: %v, want ErrNotFound", ids, err)
			}
		}
		if got := taken(t, s.a, ann); got != "1" {
			t.Errorf("ann takes %q", got)
		}
		if err := s.a.Ack(t.Context(), ann, append(s.ids(t, ann), "1-1")); err != nil {
			t.Errorf("ann acknowledges her own and an unknown one: %v", err)
		}
	})
}

func TestAToastCanBeTakenAsSoonAsItsSignalArrives(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		sub := s.rdb.Subscribe(t.Context(), s.k.LiveUser(ann), s.k.LiveUser(carl))
		defer sub.Close()
		for range 2 {
			if _, err := sub.Receive(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		heard := sub.Channel()
		for n := int64(1); n <= 20; n++ {
			for range 2 { // the second raise sends no signal
				s.raise(t, of(n, ann))
			}
			m := hear(t, heard)
			if m.Payload != "T" || m.Channel != s.k.LiveUser(ann) {
				t.Fatalf("received %q on %s", m.Payload, m.Channel)
			}
			if got := taken(t, s.instance(fmt.Sprint("fresh", n)), ann); got != strconv.FormatInt(n, 10) {
				t.Fatalf("took %q, want %d", got, n)
			}
		}
		signal := notifier.Signal{Kind: notifier.SignalSeen, Browser: "0123456789abcdef", On: true, At: 1700}
		if err := s.a.Signal(t.Context(), carl, signal); err != nil {
			t.Error(err)
		}
		m := hear(t, heard) // in a cluster, two messages may arrive in either order
		told := map[string]string{m.Channel: m.Payload + ";"}
		if err := s.a.Nudge(t.Context(), []int64{carl, ann, bob}); err != nil {
			t.Error(err)
		}
		for range 2 {
			m = hear(t, heard)
			told[m.Channel] += m.Payload + ";"
		}
		want := map[string]string{s.k.LiveUser(carl): signal.String() + ";N;", s.k.LiveUser(ann): "N;"}
		if d := cmp.Diff(want, told); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// hear returns the next published message.
func hear(t *testing.T, told <-chan *redis.Message) *redis.Message {
	t.Helper()
	return testkit.Next(t, "a message is published", told)
}

func TestToastsOfADeadInstanceAreTakenOverOnceTheHoldExpires(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann), of(2, ann))
		if got := taken(t, s.a, ann); got != "1 2" {
			t.Fatalf("a took %q", got)
		}
		s.raise(t, of(3, ann))
		got := take(t, s.b, ann)
		if len(got.Toasts) != 1 || got.Toasts[0].NoticeID != 3 || got.Again <= 0 || got.Again > 10*time.Second {
			t.Fatalf("b took %+v while a held two; want only 3", got)
		}
		s.expireHold(t, 7, s.ids(t, ann)[1])
		if got := taken(t, s.b, ann); got != "2/2 3/2" {
			t.Errorf("b took %q", got)
		}
		if got := taken(t, s.a, ann); got != "1/2" {
			t.Errorf("a took %q, want the one it still holds", got)
		}
	})
}

func TestWaitingReportsWhichUsersHaveToasts(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		s.raise(t, of(1, ann, carl))
		got, err := s.a.Waiting(t.Context(), []int64{bob, ann, carl})
		if d := cmp.Diff([]bool{false, true, true}, got); err != nil || d != "" {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	})
}

func TestForgetRemovesEverythingOfADeletedUser(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		alone := notifier.ToastRaise{Token: "a|b*", Content: []byte(`{}`), Seqs: []int64{ann, bob}}
		s.raise(t, of(1, ann, bob), of(2, ann), alone)
		taken(t, s.a, ann)
		for range 2 {
			if err := s.a.Forget(t.Context(), ann); err != nil {
				t.Fatal(err)
			}
		}
		if ids := s.ids(t, ann); len(ids) > 0 || len(s.entries(t, 7)) != 2 || len(s.pending(t, 7)) != 2 {
			t.Errorf("waiting %v, entries %v, pending %v", ids, s.entries(t, 7), s.pending(t, 7))
		}
		raised := s.rdb.ZRange(t.Context(), s.k.RaisedToasts(7), 0, -1).Val()
		slices.Sort(raised)
		if d := cmp.Diff([]string{"+a|b*|71", "1|71"}, raised); d != "" {
			t.Errorf("raised (-want +got):\n%s", d)
		}
	})
}

func TestMissingScriptsAreLoadedOnUse(t *testing.T) {
	t.Parallel()
	s := newSite(t, redistest.Own(t).Client(t))
	calls := []func(){
		func() { s.raise(t, of(1, ann)) },
		func() { _ = taken(t, s.a, ann) },
		func() { _ = s.a.Ack(t.Context(), ann, []string{"1-1"}) },
		func() { _ = s.a.Clear(t.Context()) },
		func() { _ = s.a.Forget(t.Context(), ann) },
	}
	if err := s.a.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, call := range calls {
		s.rdb.ScriptFlush(t.Context())
		call()
	}
	if info := s.rdb.Info(t.Context(), "errorstats").Val(); s.a.Stats().Failed != 0 || strings.Count(info, "errorstat_") != 2 {
		t.Errorf("%d calls failed; want only NOSCRIPT errors and one NOGROUP:\n%s", s.a.Stats().Failed, info)
	}
}
