package notices_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/notices"
)

// TestNoticesEndCorrectlyInAnyOrderOfEvents sends, edits, deletes, retracts, interrupts and repeats at random. At the
// end every inbox must contain each notice that was not retracted, once and with its last text, and no other notice;
// and one toast must have been raised for each recipient of a notice with a toast.
func TestNoticesEndCorrectlyInAnyOrderOfEvents(t *testing.T) {
	t.Parallel()
	base := newRig(t, redistest.Client(t))
	seqs := base.users(t, "all", 12)
	rapid.Check(t, func(rt *rapid.T) {
		r := *base
		r.keys = redistest.Space(t)
		r.inbox = inbox.New(r.rdb, r.keys, inbox.Options{SQL: r.store})
		c := r.withToasts()
		c.Chunk, c.Wait, c.Poll, c.Idle = 4, 0, time.Millisecond, time.Millisecond
		p := notices.New(c)
		var sent []notifier.Notice
		retracted, titles := map[int64]bool{}, map[int64]string{}
		deleted, edits, deaths := map[[2]int64]bool{}, 0, 0 // deleted: user, notice
		pick := func(rt *rapid.T) notifier.Notice {
			if len(sent) == 0 {
				sent = append(sent, send(t, p, withToast(toRole("all"))))
			}
			return rapid.SampledFrom(sent).Draw(rt, "notice")
		}
		rt.Repeat(map[string]func(*rapid.T){
			"send to all": func(*rapid.T) { sent = append(sent, send(t, p, toRole("all"))) },
			"send to two": func(*rapid.T) { sent = append(sent, send(t, p, toUsers("u1", "u2"))) },
			"send with a toast": func(rt *rapid.T) {
				to := rapid.SampledFrom([]notifier.Draft{toRole("all"), toUsers("u1", "u2")}).Draw(rt, "to")
				sent = append(sent, send(t, p, withToast(to)))
			},
			"retract": func(rt *rapid.T) {
				n := pick(rt)
				retract(t, p, n.ID)
				retracted[n.ID] = true
			},
			"edit": func(rt *rapid.T) {
				n := pick(rt)
				edits++
				title := fmt.Sprint("Edited ", edits)
				now, err := r.store.Notice(t.Context(), n.ID)
				if err != nil {
					rt.Fatal(err)
				}
				_, err = p.Edit(t.Context(), notifier.Actor{}, n.ID, now.Revision, notifier.Draft{Title: title})
				switch {
				case retracted[n.ID] && !errors.Is(err, notifier.ErrConflict):
					rt.Fatalf("edited a retracted notice: %v", err)
				case !retracted[n.ID] && err != nil:
					rt.Fatal(err)
				case !retracted[n.ID]:
					titles[n.ID] = title
				}
			},
			"edit and die": func(rt *rapid.T) { // before any instance is notified
				n, err := r.store.Notice(t.Context(), pick(rt).ID)
				if err != nil {
					rt.Fatal(err)
				}
				edits++
				n.Title = fmt.Sprint("Edited ", edits)
				if err := r.store.EditNotice(t.Context(), notifier.Actor{}, &n); err == nil {
					titles[n.ID] = n.Title
				} else if !retracted[n.ID] {
					rt.Fatal(err)
				}
			},
			"delete": func(rt *rapid.T) {
				n, seq := pick(rt), seqs[rapid.IntRange(0, 1).Draw(rt, "user")]
				if _, err := r.inbox.Delete(t.Context(), seq, n.Key()); err == nil {
					deleted[[2]int64{seq, n.ID}] = true
				} else if !errors.Is(err, notifier.ErrNotFound) {
					rt.Fatal(err)
				}
			},
			"run and stop": func(rt *rapid.T) {
				d := time.Duration(rapid.IntRange(0, 3000).Draw(rt, "µs")) * time.Microsecond
				ctx, cancel := context.WithTimeout(t.Context(), d)
				defer cancel()
				if err := p.Run(ctx); err != nil {
					rt.Fatal(err)
				}
			},
			"die with claimed work": func(*rapid.T) {
				if deaths++; deaths <= 10 { // work that is not done becomes a dead letter after 20 claims
					r.die(t)
				}
			},
			"add twice": func(rt *rapid.T) {
				r.put(t, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: pick(rt).ID, Again: rapid.Bool().Draw(rt, "again")})
			},
			"deliver late": func(rt *rapid.T) {
				n := pick(rt)
				to, err := r.store.Recipients(t.Context(), n.ID)
				if err != nil {
					rt.Fatal(err)
				}
				r.deliver(t, n, to.ToArray())
			},
		})
		stop := start(t, p)
		for _, n := range sent {
			testkit.Eventually(t, "the notice is finished", func() bool {
				s := r.stateOf(t, n.ID)
				return s == notifier.StateSent || s == notifier.StateRetracted
			})
		}
		testkit.Eventually(t, "nothing is left to do", func() bool { return r.backlog(t) == 0 })
		stop()
		raised := r.allRaised(t)
		for _, n := range sent {
			want := oneEach(seqs[:n.Recipients])
			if !n.Toast {
				want = oneEach(nil)
			}
			if got := raised[n.ID]; !retracted[n.ID] && !maps.Equal(got, want) {
				rt.Fatalf("notice %d was raised %v, want %v", n.ID, got, want)
			}
		}
		for i, seq := range seqs {
			var want []int64
			for _, n := range slices.Backward(sent) {
				if !retracted[n.ID] && !deleted[[2]int64{seq, n.ID}] && (n.Recipients > 2 || i < 2) {
					want = append(want, n.ID)
				}
			}
			if got := r.holds(t, seq, len(want)); !slices.Equal(got, want) {
				rt.Fatalf("user %d has %v, want %v", seq, got, want)
			}
			for _, id := range want {
				title := titles[id]
				if title == "" {
					continue
				}
				if e, err := r.inbox.Find(t.Context(), seq, fmt.Sprint("news:notice_id:", id), 0); err != nil || e.Title != title {
					rt.Fatalf("user %d reads %q in notice %d, %v; want %q", seq, e.Title, id, err, title)
				}
			}
		}
	})
}

// die claims work as an instance does, never completes it, and returns its amount.
func (r *rig) die(t *testing.T) int {
	t.Helper()
	c := notifier.Claim{Owner: 1, Until: time.Now().Add(5 * time.Millisecond)}
	notices, err := r.store.ClaimNotices(t.Context(), c, 2)
	if err != nil {
		t.Fatal(err)
	}
	work, err := r.store.ClaimWork(t.Context(), c, 2)
	if err != nil {
		t.Fatal(err)
	}
	return len(notices) + len(work)
}

func (r *rig) stateOf(t *testing.T, id int64) notifier.State {
	t.Helper()
	n, err := r.store.Notice(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return n.State
}

func (r *rig) deliver(t *testing.T, n notifier.Notice, to []uint32) {
	t.Helper()
	seqs := make([]int64, len(to))
	for i, seq := range to {
		seqs[i] = int64(seq)
	}
	r.deliverTo(t, n, seqs)
}

// deliverTo delivers a notice without a worker.
func (r *rig) deliverTo(t testing.TB, n notifier.Notice, seqs []int64) {
	t.Helper()
	d, err := n.Delivery(seqs)
	if err != nil {
		t.Fatal(err)
	}
	if _, errs := r.inbox.DeliverAll(t.Context(), []notifier.Delivery{d}); errs[0] != nil {
		t.Fatal(errs[0])
	}
}

// holds returns the notices of an inbox, the highest id first, and checks the badge.
func (r *rig) holds(t *testing.T, seq int64, badge int) []int64 {
	t.Helper()
	b, err := r.inbox.Badges(t.Context(), []int64{seq})
	if err != nil {
		t.Fatal(err)
	}
	if b[0].Unread != int64(badge) {
		t.Errorf("user %d has a badge of %d, want %d", seq, b[0].Unread, badge)
	}
	page, err := r.inbox.Look(t.Context(), seq, notifier.Query{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for _, e := range page.Entries {
		ids = append(ids, e.NoticeID)
	}
	slices.Sort(ids)
	slices.Reverse(ids)
	return ids
}
