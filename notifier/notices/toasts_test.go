package notices_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
	"github.com/carillonhq/carillon/notifier/toast"
)

// raising stands between notices and their toasts.
type raising func(ctx context.Context, all []notifier.ToastRaise) []error

func (f raising) RaiseAll(ctx context.Context, all []notifier.ToastRaise) []error { return f(ctx, all) }

// fail returns the same error for each raise.
func fail(all []notifier.ToastRaise, err error) []error {
	errs := make([]error, len(all))
	for i := range errs {
		errs[i] = err
	}
	return errs
}

func (r *rig) toasts() *toast.Toasts { return toast.New(r.rdb, r.keys, toast.Options{}) }

// withToasts returns a config with toasts.
func (r *rig) withToasts() notices.Config {
	c := r.config()
	c.Toasts = r.toasts()
	return c
}

// raised returns how many unseen toasts of a notice were raised for each user.
func (r *rig) raised(t testing.TB, id int64) map[int64]int {
	t.Helper()
	return r.allRaised(t)[id]
}

// allRaised returns raised for each notice.
func (r *rig) allRaised(t testing.TB) map[int64]map[int64]int {
	t.Helper()
	pipe := r.rdb.Pipeline()
	cmds := make([]*redis.XMessageSliceCmd, keys.Partitions)
	for p := range cmds {
		cmds[p] = pipe.XRange(t.Context(), r.keys.Toasts(p), "-", "+")
	}
	if _, err := pipe.Exec(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := map[int64]map[int64]int{}
	for _, cmd := range cmds {
		for _, m := range cmd.Val() {
			id, err := strconv.ParseInt(fmt.Sprint(m.Values["notice"]), 10, 64)
			seq, wrong := strconv.ParseInt(fmt.Sprint(m.Values["user"]), 10, 64)
			if err = errors.Join(err, wrong); err != nil {
				t.Fatal(err)
			}
			if all[id] == nil {
				all[id] = map[int64]int{}
			}
			all[id][seq]++
		}
	}
	return all
}

// wantRaised fails the test unless the toast of a notice was raised once for each of these users, and for no other.
func (r *rig) wantRaised(t testing.TB, id int64, seqs []int64) {
	t.Helper()
	if got := r.raised(t, id); !maps.Equal(got, oneEach(seqs)) {
		t.Errorf("notice %d was raised for %d users, want %d, each once: %v", id, len(got), len(seqs), got)
	}
}

// oneEach maps each of these users to 1.
func oneEach(seqs []int64) map[int64]int {
	all := map[int64]int{}
	for _, seq := range seqs {
		all[seq] = 1
	}
	return all
}

func withToast(d notifier.Draft) notifier.Draft {
	d.Toast = true
	return d
}

func TestRecipientsAreRaisedOneToastBeforeTheNoticeIsSent(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(t *testing.T) redis.UniversalClient{
		"redis":   func(t *testing.T) redis.UniversalClient { t.Helper(); return redistest.Client(t) },
		"cluster": func(t *testing.T) redis.UniversalClient { t.Helper(); return redistest.Cluster(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, on(t))
			seqs := r.users(t, "all", 320)
			topic := notifier.Topic{Type: "stock", Scope: "west"}
			r.subscribe(t, topic, notifier.Subscriber{Role: "all"})
			r.subscribe(t, topic, notifier.Subscriber{User: "u7"})
			if err := r.store.SetMute(t.Context(), seqs[0], "news", true); err != nil {
				t.Fatal(err)
			}
			c := r.withToasts()
			c.Chunk, c.Router = 100, route.New(r.store, subscribers{r})
			p := running(t, c)
			about := toRole("")
			about.Target, about.Type = notifier.Target{Topic: topic}, "stock"
			quiet := send(t, p, toRole("all"))
			for what, test := range map[string]struct {
				draft notifier.Draft
				want  []int64
			}{
				"whole":                {toUsers("u2", "u3", "u300"), []int64{seqs[1], seqs[2], seqs[299]}},
				"range by range":       {toRole("all"), seqs[1:]}, // except the user who muted it
				"for different causes": {about, seqs},
			} {
				n := send(t, p, withToast(test.draft))
				r.state(t, n.ID, notifier.StateSent)
				r.wantRaised(t, n.ID, test.want)
				// It is sent again, from the beginning and from the middle, then edited and
				// retracted.
				r.put(t, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, Again: true}, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, From: seqs[1], To: seqs[2]})
				if _, err := p.Edit(t.Context(), notifier.Actor{}, n.ID, 0, notifier.Draft{Title: "Edited"}); err != nil {
					t.Fatal(err)
				}
				testkit.Eventually(t, "all is done", func() bool { return r.backlog(t) == 0 })
				r.wantRaised(t, n.ID, test.want)
				retract(t, p, n.ID)
				r.state(t, n.ID, notifier.StateRetracted)
				if r.wantRaised(t, n.ID, test.want); t.Failed() {
					t.Fatal(what)
				}
			}
			r.state(t, quiet.ID, notifier.StateSent)
			r.wantRaised(t, quiet.ID, nil)
		})
	}
}

func TestToastHasTheContentOfItsRow(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	raises := make(chan []notifier.ToastRaise, 10)
	c := r.config()
	c.Toasts = raising(func(_ context.Context, all []notifier.ToastRaise) []error {
		raises <- all
		return make([]error, len(all))
	})
	p := running(t, c)
	d := withToast(toRole("all"))
	d.Link, d.Subject, d.ExpiresIn = "/lift", "lift:1", time.Hour
	n := send(t, p, d)
	content, err := notifier.EncodeContent(n.Content())
	if err != nil {
		t.Fatal(err)
	}
	if got := <-raises; len(got) != 1 || got[0].NoticeID != n.ID || got[0].Key != "news:lift:1" || string(got[0].Content) != string(content) ||
		got[0].EndsAt != n.ExpiresAt.UnixMilli() || got[0].Token != "" || !slices.Equal(got[0].Seqs, seqs) {
		t.Errorf("raised %+v", got)
	}
}

func TestToastHasTheWordsOfARowThatStandsForSeveralNotices(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	c := r.config()
	var mu sync.Mutex
	titles := map[int64][]string{}
	c.Toasts = raising(func(_ context.Context, all []notifier.ToastRaise) []error {
		mu.Lock()
		defer mu.Unlock()
		for _, raise := range all {
			var shown notifier.Content
			if err := json.Unmarshal(raise.Content, &shown); err != nil {
				t.Error(err)
			}
			for _, seq := range raise.Seqs {
				titles[seq] = append(titles[seq], shown.Title)
			}
		}
		return make([]error, len(all))
	})
	p := running(t, c)
	likes := func(name string, to notifier.Draft) {
		d := withToast(to)
		d.Subject, d.Title = "photo:1", name+" likes your photo"
		d.Extras = notifier.Extras{Actor: &notifier.RowActor{Name: name}, More: &notifier.More{Other: "{actor} and {others} more like your photo"}}
		r.state(t, send(t, p, d).ID, notifier.StateSent)
	}
	likes("Alice", toUsers("u1"))
	likes("Bob", toUsers("u1", "u2"))
	likes("Carol", toRole("all"))
	mu.Lock()
	defer mu.Unlock()
	want := map[int64][]string{
		seqs[0]: {"Alice likes your photo", "Bob and 1 more like your photo", "Carol and 2 more like your photo"},
		seqs[1]: {"Bob likes your photo", "Carol and 1 more like your photo"},
		seqs[2]: {"Carol likes your photo"},
	}
	if d := cmp.Diff(want, titles); d != "" {
		t.Errorf("titles of toasts (-want +got):\n%s", d)
	}
}

// Redis came back without the toasts, or without the record that they were raised: users who had the notice have
// already seen its toast.
func TestResendAfterALossRaisesNoToast(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 30)
	c := r.withToasts()
	c.Chunk = 10
	p := running(t, c)
	since := time.Now().Add(-time.Minute)
	small, large := send(t, p, withToast(toUsers("u1", "u2"))), send(t, p, withToast(toRole("all")))
	r.state(t, large.ID, notifier.StateSent)
	for i := range keys.Partitions {
		if err := r.rdb.Del(t.Context(), r.keys.Toasts(i), r.keys.RaisedToasts(i)).Err(); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Resend(t.Context(), since); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the resend is done", func() bool { return r.backlog(t) == 0 })
	r.wantRaised(t, small.ID, nil)
	r.wantRaised(t, large.ID, nil)
}

func TestFailingToastDoesNotKeepANoticeFromBeingSent(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 20} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 50)
			for _, seq := range seqs[:11] { // any toast for them is refused
				if err := r.rdb.Set(t.Context(), r.keys.PendingToasts(seq), "broken", 0).Err(); err != nil {
					t.Fatal(err)
				}
			}
			c := r.config()
			c.Toasts, c.Chunk = r.toasts(), chunk
			p := running(t, c)
			n := send(t, p, withToast(toRole("all")))
			r.state(t, n.ID, notifier.StateSent)
			r.everyoneHas(t, seqs, 1)
			testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
			r.wantRaised(t, n.ID, seqs[11:])
			if n := r.dead(t); n != 0 {
				t.Errorf("%d dead letters", n)
			}
		})
	}
}

// An inbox that refuses its row delays the toasts of other users for some tries, but not forever.
func TestRecipientsWithTheRowGetTheToastDespiteABrokenInbox(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 20)
	if err := r.rdb.Set(t.Context(), r.keys.State(seqs[3]), "broken", 0).Err(); err != nil {
		t.Fatal(err)
	}
	c := r.config()
	c.Toasts = r.toasts()
	p := running(t, c)
	n := send(t, p, withToast(toRole("all")))
	testkit.Eventually(t, "the entry is a dead letter", func() bool { return r.dead(t) == 1 })
	got := r.raised(t, n.ID)
	if delete(got, seqs[3]); len(got) != 19 {
		t.Errorf("raised for %d of the 19 others: %v", len(got), got)
	}
}

// While toasts are unavailable, no entry becomes a dead letter and the notice is not marked as
// sent.
func TestNoticeWaitsForUnavailableToasts(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"whole": 500, "range by range": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, redistest.Client(t))
			seqs := r.users(t, "all", 5)
			c := r.config()
			c.Chunk, c.Wait = chunk, 0
			var asked atomic.Int64
			back, toasts := make(chan struct{}), r.toasts()
			c.Toasts = raising(func(ctx context.Context, all []notifier.ToastRaise) []error {
				asked.Add(1)
				select {
				case <-back:
					return toasts.RaiseAll(ctx, all)
				default:
					return fail(all, fmt.Errorf("raise: %w", notifier.ErrUnavailable))
				}
			})
			p := running(t, c)
			n := send(t, p, withToast(toRole("all")))
			testkit.Eventually(t, "it is tried more often than a refused one", func() bool { return asked.Load() > 6 })
			if state := r.stateOf(t, n.ID); state == notifier.StateSent {
				t.Error("marked as sent")
			}
			close(back)
			r.state(t, n.ID, notifier.StateSent)
			r.wantRaised(t, n.ID, seqs)
		})
	}
}

var errRefused = errors.New("refused")

// A refused toast is retried until it works.
func TestRefusedToastIsRetried(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 5)
	c, toasts := r.config(), r.toasts()
	var asked atomic.Int64
	c.Toasts = raising(func(ctx context.Context, all []notifier.ToastRaise) []error {
		if asked.Add(1) <= 3 {
			return fail(all, errRefused)
		}
		return toasts.RaiseAll(ctx, all)
	})
	p := running(t, c)
	n := send(t, p, withToast(toRole("all")))
	r.state(t, n.ID, notifier.StateSent)
	r.wantRaised(t, n.ID, seqs)
}
