package store_test

import (
	"database/sql"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// held is the model of a waiting notice.
type held struct {
	owner, tries int64
	due          time.Time
	trace        string
}

func TestNoticesAreClaimedLikeInTheModel(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		rapid.Check(t, func(rt *rapid.T) {
			store.Exec(t, s, `UPDATE notices SET state = 'sent'`)
			model := map[int64]*held{}
			owner := rapid.Int64Range(1, 2)
			claim := func() notifier.Claim {
				return notifier.Claim{Owner: owner.Draw(rt, "owner"), Until: db.clock.now().Add(time.Duration(rapid.IntRange(0, 5).Draw(rt, "for")) * time.Second)}
			}
			some := func() (ids []int64) {
				for _, id := range slices.Sorted(maps.Keys(model)) {
					if rapid.Bool().Draw(rt, "this") {
						ids = append(ids, id)
					}
				}
				return ids
			}
			rt.Repeat(map[string]func(*rapid.T){
				"": func(*rapid.T) {
					if n := must(s.CountWork(t.Context(), 1000))(t); n != int64(len(model)) {
						rt.Fatalf("%d wait, want %d", n, len(model))
					}
				},
				"accept": func(rt *rapid.T) {
					a := batch(1)
					var h held
					if rapid.Bool().Draw(rt, "direct") {
						a[0].Claim = claim()
						h.owner, h.due = a[0].Claim.Owner, a[0].Claim.Until
					}
					h.trace = rapid.SampledFrom([]string{"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}).Draw(rt, "trace")
					a[0].Trace = h.trace
					acceptAll(t, s, a...)
					model[a[0].Notice.ID] = &h
				},
				"claim": func(rt *rapid.T) {
					c, limit := claim(), rapid.IntRange(1, 3).Draw(rt, "limit")
					var want []notifier.Work
					for _, id := range slices.Sorted(maps.Keys(model)) {
						if h := model[id]; !h.due.After(db.clock.now()) && len(want) < limit {
							want = append(want, notifier.Work{NoticeID: id, Tries: h.tries, Owner: h.owner, Trace: h.trace})
							h.owner, h.due, h.tries = c.Owner, c.Until, h.tries+1
						}
					}
					if diff := cmp.Diff(want, must(s.ClaimNotices(t.Context(), c, limit))(t)); diff != "" {
						rt.Fatal(diff)
					}
				},
				"renew": func(*rapid.T) {
					c, ids := claim(), some()
					for _, id := range ids {
						if model[id].owner == c.Owner {
							model[id].due = c.Until
						}
					}
					wantIs(t, s.Renew(t.Context(), c, ids, nil), nil)
				},
				"give back": func(rt *rapid.T) {
					by, ids := owner.Draw(rt, "owner"), some()
					all := rapid.Bool().Draw(rt, "all")
					for id, h := range model {
						if h.owner == by && (all || slices.Contains(ids, id)) {
							*h = held{tries: max(0, h.tries-1), trace: h.trace}
						}
					}
					if all {
						wantIs(t, s.GiveBackAll(t.Context(), by), nil)
					} else {
						wantIs(t, s.GiveBack(t.Context(), by, ids, nil), nil)
					}
				},
				"fail": func(rt *rapid.T) {
					by, due := owner.Draw(rt, "owner"), db.clock.now().Add(time.Second)
					for _, id := range some() {
						h := model[id]
						wantIs(t, s.Retry(t.Context(), by, notifier.Work{NoticeID: id, Tries: h.tries}, due, "why"), nil)
						if h.owner == by {
							*h = held{tries: h.tries + 1, due: due, trace: h.trace}
						}
					}
				},
				"finish": func(*rapid.T) {
					for _, id := range some() {
						if moved := must(s.Confirm(t.Context(), []notifier.Revised{{ID: id}}))(t); len(moved) > 0 {
							rt.Fatalf("moved %v", moved)
						}
						delete(model, id)
					}
				},
				"wait": func(rt *rapid.T) { db.clock.move(time.Duration(rapid.IntRange(1, 3).Draw(rt, "s")) * time.Second) },
			})
		})
	})
}

func TestConcurrentInstancesClaimEachPieceOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		acceptAll(t, s, batch(300)...)
		work := make([]notifier.Work, 300)
		for i := range work {
			work[i] = notifier.Work{Kind: notifier.WorkDeliver, NoticeID: 1, To: int64(i + 1)}
		}
		wantIs(t, s.AddWork(t.Context(), work...), nil)
		var mu sync.Mutex
		claimed := map[[2]int64]int{}
		var all sync.WaitGroup
		for i := range 6 {
			instance := db.open(t)
			c := notifier.Claim{Owner: int64(i + 1), Until: db.clock.now().Add(time.Hour)}
			all.Go(func() {
				for {
					notices, err := instance.ClaimNotices(t.Context(), c, 7)
					rows, err2 := instance.ClaimWork(t.Context(), c, 7)
					if err != nil || err2 != nil {
						t.Error(err, err2)
						return
					}
					mu.Lock()
					for _, w := range notices {
						claimed[[2]int64{w.NoticeID, 0}]++
					}
					for _, w := range rows {
						claimed[[2]int64{0, w.ID}]++
					}
					done := len(claimed) == 600
					mu.Unlock()
					if done {
						return
					}
				}
			})
		}
		all.Wait()
		for what, n := range claimed {
			if n != 1 {
				t.Errorf("%v was claimed %d times", what, n)
			}
		}
	})
}

// Otherwise an instance would wait for every other instance that is about to claim.
func TestAnInstanceClaimsPastWhatAnotherHasLocked(t *testing.T) {
	t.Parallel()
	url := postgresURL(t)
	s := must(store.Open(t.Context(), store.Config{URL: url}))(t)
	t.Cleanup(func() { _ = s.Close() })
	all := batch(2)
	acceptAll(t, s, all...)
	other := must(sql.Open("pgx", url))(t)
	t.Cleanup(func() { _ = other.Close() })
	tx := must(other.BeginTx(t.Context(), nil))(t)
	defer func() { _ = tx.Rollback() }()
	must(tx.ExecContext(t.Context(), `SELECT 1 FROM notices WHERE id = $1 FOR UPDATE`, all[0].Notice.ID))(t)
	claimed := make(chan []notifier.Work, 1)
	go func() {
		due, err := s.ClaimNotices(t.Context(), notifier.Claim{Owner: 1, Until: time.Now().Add(time.Minute)}, 10)
		if err != nil {
			t.Error(err)
		}
		claimed <- due
	}()
	if due := testkit.Next(t, "the notices that are not locked are claimed", claimed); len(due) != 1 || due[0].NoticeID != all[1].Notice.ID {
		t.Errorf("claimed %+v, want notice %d", due, all[1].Notice.ID)
	}
}

func TestRowOfWorkBelongsToItsOwner(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		mine, other := notifier.Claim{Owner: 1, Until: now.Add(time.Second)}, notifier.Claim{Owner: 2, Until: now.Add(time.Minute)}
		w := notifier.Work{ID: 1, Kind: notifier.WorkResend, Since: now.Truncate(time.Millisecond).UTC(), Had: true, Again: true, Trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}
		wantIs(t, s.AddWork(t.Context(), w), nil)
		claims := func(c notifier.Claim, want ...notifier.Work) {
			t.Helper()
			got := must(s.ClaimWork(t.Context(), c, 10))(t)
			for i := range got {
				got[i].Since = got[i].Since.UTC()
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		}
		claims(mine, w)
		claims(other)
		if held := must(s.AdvanceWork(t.Context(), mine, 1, 17, notifier.Work{Kind: notifier.WorkRetract, NoticeID: 3, From: 1, To: 2}))(t); !held {
			t.Error("the work of its owner is not advanced")
		}
		claims(other, notifier.Work{ID: 2, Kind: notifier.WorkRetract, NoticeID: 3, From: 1, To: 2})
		if !must(s.Resending(t.Context()))(t) {
			t.Error("nothing is sent again")
		}
		db.clock.move(2 * time.Second)
		w.From, w.Owner = 17, 1
		claims(other, w)
		if held := must(s.AdvanceWork(t.Context(), mine, 1, 99, notifier.Work{Kind: notifier.WorkDeliver, NoticeID: 4}))(t); held {
			t.Error("work is advanced without its claim")
		}
		wantIs(t, s.FinishWork(t.Context(), 1, 1), nil)
		if held := must(s.Bury(t.Context(), 1, 1, notifier.DeadLetter{}))(t); held {
			t.Error("work is buried without its claim")
		}
		wantIs(t, s.Retry(t.Context(), 1, w, now, "late"), nil)
		if n := must(s.CountDeadLetters(t.Context()))(t); n != 0 {
			t.Errorf("%d dead letters", n)
		}
		wantIs(t, s.Retry(t.Context(), 2, w, now, "\x00 why"), nil)
		w.Tries, w.Owner = 1, 0
		claims(other, w)
		wantIs(t, s.FinishWork(t.Context(), 2, 1), nil)
		if held := must(s.Bury(t.Context(), 2, 2, notifier.DeadLetter{NoticeID: 3}))(t); !held {
			t.Error("the work of its owner is not buried")
		}
		if n := must(s.CountWork(t.Context(), 10))(t); n != 0 || must(s.Resending(t.Context()))(t) || must(s.CountDeadLetters(t.Context()))(t) != 1 {
			t.Errorf("%d pieces of work are left, or no dead letter", n)
		}
	})
}

func TestNoticesPassWhenOnlyTheOwnersOrFailingOnesAreLeft(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		all := batch(3)
		all[0].Claim, all[1].Claim = notifier.Claim{Owner: 1, Until: db.clock.now()}, notifier.Claim{Owner: 2, Until: db.clock.now()}
		acceptAll(t, s, all...)
		passed := func(owner, id int64, want bool) {
			t.Helper()
			if got := must(s.Passed(t.Context(), owner, id))(t); got != want {
				t.Errorf("passed %d by %d: %t", id, owner, got)
			}
		}
		passed(1, 1, true)
		passed(1, 2, false)
		passed(2, 2, false)
		wantIs(t, s.Retry(t.Context(), 2, notifier.Work{NoticeID: 2}, db.clock.now(), ""), nil)
		passed(1, 2, true)
		passed(1, 3, false)
		must(s.Confirm(t.Context(), []notifier.Revised{{ID: 3}}))(t)
		passed(1, 3, true)
	})
}

func TestAcceptingSyncsAfterAConfirmation(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	all := batch(1)
	acceptAll(t, s, all...)
	must(s.Confirm(t.Context(), []notifier.Revised{{ID: all[0].Notice.ID}}))(t)
	if level := store.SyncLevel(t, s); level != 2 {
		t.Errorf("synchronous = %d, want 2 (FULL)", level)
	}
}
