package channels_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/channels"
	"github.com/carillonhq/carillon/store"
)

// town is users with one unread notice and one target each, whose service responds as set in answer.
type town struct {
	*store.Store
	now     time.Time
	kind    notifier.ReachKind
	users   []int64
	stage   *channels.Stage
	answer  func(user int) channels.Outcome
	telling func(ctx context.Context) // nil: nothing
	tries   map[int]int
	fails   int // calls of Step that still fail after the successful ones
	steps   int
	logs    strings.Builder
	at      int64 // of the notice
}

// Step fails as after SIGKILL once steps have run out.
func (v *town) Step(ctx context.Context, steps []*notifier.ReachStep) error {
	if v.fails > 0 && v.steps == 0 {
		v.fails--
		return errKilled
	}
	v.steps--
	return v.Store.Step(ctx, steps)
}

func (v *town) Poll(context.Context, int64, notifier.PollQuery) (notifier.Poll, error) {
	return notifier.Poll{Newest: v.at, Unread: 1, Entries: []notifier.Entry{{Key: "plain:1", At: v.at, Content: notifier.Content{Type: "plain"}}}}, nil
}

func (v *town) Send(ctx context.Context, m *channels.Message) channels.Outcome {
	if v.telling != nil {
		v.telling(ctx)
	}
	user := slices.Index(v.users, m.Target.Seq)
	v.tries[user]++
	return v.answer(user)
}

// newTown has users 0 to n-1, whose messages are due one after the other.
func newTown(t *testing.T, url string, kind notifier.ReachKind, n int) *town {
	t.Helper()
	v := &town{kind: kind, now: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), tries: map[int]int{}}
	clock := func() time.Time { return v.now }
	db, err := store.Open(t.Context(), store.Config{URL: url, DataDir: t.TempDir(), Now: clock, Mail: notifier.When{Wait: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	v.Store = db
	for i := range n {
		v.now = v.now.Add(time.Second)
		name := fmt.Sprint("user", i)
		u, err := db.CreateUser(t.Context(), notifier.NewUser{Name: name, Audience: 1})
		if err == nil && kind == notifier.ReachMail {
			address := name + "@example.com"
			_, _, err = db.PutUser(t.Context(), notifier.PutUser{Name: name, Email: &address})
		}
		if err == nil && kind == notifier.ReachPush {
			_, _, err = db.AddDevice(t.Context(), notifier.NewDevice{Seq: u.Seq, Endpoint: "https://push.example/" + name, Keys: []byte{1}})
		}
		if err != nil {
			t.Fatal(err)
		}
		v.users = append(v.users, u.Seq)
	}
	v.at = v.now.Add(time.Second).UnixMilli()
	v.stage = channels.New(channels.Config{
		Store: v, Inbox: v, Types: new(model), Log: slog.New(slog.NewTextHandler(&v.logs, nil)), Now: clock,
		Ways: []channels.Way{{Kind: kind, Sender: v, Parallel: 1}},
	})
	v.now = v.now.Add(time.Hour)
	return v
}

func (v *town) round(t *testing.T) {
	t.Helper()
	if err := v.stage.Round(t.Context(), v.kind); err != nil && !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
}

// pass lets time pass, with a round each minute.
func (v *town) pass(t *testing.T, d time.Duration) {
	t.Helper()
	for end := v.now.Add(d); v.now.Before(end); {
		v.now = v.now.Add(min(max(d/60, time.Minute), end.Sub(v.now)))
		v.round(t)
	}
}

func (v *town) target(t *testing.T, user int) notifier.ReachTarget {
	t.Helper()
	all, err := v.Targets(t.Context(), v.users[user])
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		return notifier.ReachTarget{}
	}
	return all[0]
}

func (v *town) stats(t *testing.T) notifier.ReachStats {
	t.Helper()
	n, err := v.ReachStats(t.Context(), v.kind)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func outcome(v channels.Verdict) channels.Outcome {
	return channels.Outcome{Verdict: v, Reason: v.String()}
}

// only returns verdicts for one user, and accepts the messages of the others.
func only(user int, v channels.Verdict) func(int) channels.Outcome {
	return func(u int) channels.Outcome {
		if u == user {
			return outcome(v)
		}
		return outcome(channels.Sent)
	}
}

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	for name, url := range map[string]func() string{"SQLite": func() string { return "" }, "PostgreSQL": func() string { return sqltest.URL(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, url())
		})
	}
}

func TestAnAddressIsDeadAfterRefusalsOnThreeDaysAndTriedAgainAfterFourWeeks(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		v := newTown(t, url, notifier.ReachMail, 3)
		v.answer = only(1, channels.Denied)
		v.round(t)
		if got := v.target(t, 1); got.State != notifier.ReachFailing || got.Refusals != 1 || got.UpTo != 0 || got.Told >= v.at {
			t.Fatalf("after one refusal: %+v", got)
		}
		v.pass(t, 13*time.Hour) // to the end of the first day
		if got := v.target(t, 1); got.Refusals != 1 || v.tries[1] < 4 {
			t.Errorf("%d refusals on one day count %d times", v.tries[1], got.Refusals)
		}
		v.pass(t, 24*time.Hour)
		if got := v.target(t, 1); got.Refusals != 2 || got.State != notifier.ReachFailing {
			t.Errorf("on the second day: %+v", got)
		}
		v.pass(t, 36*time.Hour)
		got, tries := v.target(t, 1), v.tries[1]
		if got.State != notifier.ReachDead || v.stats(t).Dead != 1 || v.stats(t).Due != 0 {
			t.Errorf("on the third day: %+v", got)
		}
		v.pass(t, 26*24*time.Hour)
		if v.tries[1] != tries {
			t.Errorf("%d tries while it rests", v.tries[1]-tries)
		}
		v.pass(t, 3*24*time.Hour)
		if got := v.target(t, 1); got.State != notifier.ReachDead || v.tries[1] != tries+1 {
			t.Errorf("after four weeks: %d tries, %+v", v.tries[1]-tries, got)
		}
		v.answer = only(-1, 0)
		v.pass(t, 29*24*time.Hour)
		if got := v.target(t, 1); got.State != notifier.ReachOn || got.Refusals != 0 || got.Told != v.at {
			t.Errorf("after eight weeks: %+v", got)
		}
	})
}

func TestASuccessForgetsTheRefusalsBeforeIt(t *testing.T) {
	t.Parallel()
	v := newTown(t, "", notifier.ReachMail, 1)
	for day := range 6 {
		v.answer = only(0, []channels.Verdict{channels.Denied, channels.Sent}[day%2]) // 24 hours of refusals touch two days
		v.at = v.now.UnixMilli() - 1
		if err := v.SaveSnapshots(t.Context(), []notifier.Snapshot{{Seq: v.users[0], Ver: v.at, Rows: []notifier.SnapshotRow{{Field: "plain:1" + notifier.UnreadSuffix, NoticeID: 1, At: v.at}}}}); err != nil {
			t.Fatal(err)
		}
		v.pass(t, 24*time.Hour)
	}
	if got := v.target(t, 0); got.State == notifier.ReachDead {
		t.Errorf("%+v", got)
	}
}

func TestAServiceFailureBlamesNoTargetAndEverythingIsSentAfterwards(t *testing.T) {
	t.Parallel()
	for _, kind := range []notifier.ReachKind{notifier.ReachMail, notifier.ReachPush} {
		for _, verdict := range []channels.Verdict{channels.Denied, channels.Refused, channels.Delayed, channels.Away} {
			t.Run(fmt.Sprint(kind, verdict), func(t *testing.T) {
				t.Parallel()
				v := newTown(t, "", kind, 8)
				due := v.target(t, 7).DueAt
				v.answer = func(int) channels.Outcome { return outcome(verdict) }
				v.pass(t, 5*24*time.Hour)
				n := v.stats(t)
				if !v.stage.Stats()[kind].Away || n.Due != 8 || n.Failing != 8 || n.Dead != 0 || n.Oldest.After(due) {
					t.Errorf("while it refuses everybody: away %t, %+v, want the oldest since %s", v.stage.Stats()[kind].Away, n, due)
				}
				if n := strings.Count(v.logs.String(), "level=WARN"); n < 1 || n > 2 || !strings.Contains(v.logs.String(), verdict.String()) {
					t.Errorf("%d warnings: %s", n, v.logs.String())
				}
				for user := range v.users {
					if got := v.target(t, user); got.State != notifier.ReachOn || got.Refusals > 1 || got.Error != "" {
						t.Errorf("user %d is blamed: %+v", user, got)
					}
				}
				v.answer = only(-1, 0)
				v.pass(t, 2*time.Hour)
				for user := range v.users {
					if got := v.target(t, user); got.Told != v.at || got.State != notifier.ReachOn {
						t.Errorf("user %d was not told afterwards: %+v", user, got)
					}
				}
				if n := v.stats(t); v.stage.Stats()[kind].Away || n.Due != 0 || n.Failing != 0 {
					t.Errorf("afterwards: %+v", n)
				}
			})
		}
	}
}

func TestARefusalForOneUserDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	for _, verdict := range []channels.Verdict{channels.Denied, channels.Refused, channels.Delayed, channels.Later} {
		v := newTown(t, "", notifier.ReachMail, 5)
		v.answer = only(0, verdict)
		for range 40 { // as by repeated tests on the settings page
			target := v.target(t, 0)
			v.stage.Try(t.Context(), &target, func(context.Context) channels.Outcome { return outcome(verdict) })
		}
		v.round(t)
		for user := 1; user < 5; user++ {
			if v.tries[user] != 1 || v.target(t, user).Told != v.at {
				t.Errorf("%s: user %d has %d tries", verdict, user, v.tries[user])
			}
		}
		if v.stage.Stats()[notifier.ReachMail].Away || v.target(t, 0).State != notifier.ReachFailing {
			t.Errorf("%s: %+v", verdict, v.target(t, 0))
		}
	}
}

func TestATestMessageHasTheSameTimeLimitAndACancelledOneBlamesNoTarget(t *testing.T) {
	t.Parallel()
	v := newTown(t, "", notifier.ReachPush, 1)
	target := v.target(t, 0)
	var left []time.Duration
	until := func(ctx context.Context) {
		end, _ := ctx.Deadline()
		left = append(left, time.Until(end))
	}
	v.answer = func(int) channels.Outcome { return outcome(channels.Sent) }
	v.telling = until
	v.round(t)
	v.stage.Try(t.Context(), &target, func(ctx context.Context) channels.Outcome { until(ctx); return outcome(channels.Sent) })
	if len(left) != 2 || slices.Min(left) < 20*time.Second || slices.Max(left) > 40*time.Second {
		t.Errorf("a message and a test may take %v", left)
	}
	gone, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 9 {
		v.stage.Try(gone, &target, func(context.Context) channels.Outcome { cancel(); return outcome(channels.Away) })
	}
	if v.stage.Stats()[notifier.ReachPush].Away {
		t.Error("who closes the page blames the service")
	}
}

func TestALivingRecipientBehindManyDeadOnesIsFoundBeforeAnyoneIsTriedAgain(t *testing.T) {
	t.Parallel()
	const last = 59
	v := newTown(t, "", notifier.ReachMail, last+1)
	twice := 0
	v.answer = func(user int) channels.Outcome {
		if user < last { // they come first
			return outcome(channels.Denied)
		}
		for user := range last {
			twice += max(v.tries[user]-1, 0)
		}
		return outcome(channels.Sent)
	}
	v.pass(t, time.Hour)
	v.pass(t, time.Hour)
	if v.target(t, last).Told != v.at || twice > 0 {
		t.Errorf("the last one was told at %d, want %d, after %d second tries", v.target(t, last).Told, v.at, twice)
	}
}

func TestAServerThatWasAwayMayStillRefuseOneAddress(t *testing.T) {
	t.Parallel()
	v := newTown(t, "", notifier.ReachMail, 1)
	v.answer = only(0, channels.Away)
	v.pass(t, time.Hour)
	v.answer = only(0, channels.Denied)
	v.pass(t, 4*24*time.Hour)
	if got := v.target(t, 0); got.State != notifier.ReachDead || v.stage.Stats()[notifier.ReachMail].Away {
		t.Errorf("%+v", got)
	}
}

func TestADeviceIsDeletedAfterRefusalsOnThreeDays(t *testing.T) {
	t.Parallel()
	v := newTown(t, "", notifier.ReachPush, 2)
	v.answer = only(0, channels.Denied)
	v.pass(t, 36*time.Hour)
	if got := v.target(t, 0); got.State != notifier.ReachFailing || got.Refusals != 2 {
		t.Errorf("on the second day: %+v", got)
	}
	v.pass(t, 40*time.Hour)
	if v.target(t, 0).ID != 0 || v.target(t, 1).ID == 0 {
		t.Error("the refused device is still there, or the other one is not")
	}
}

func TestARefusalWhoseRecordIsLostCountsOnceAndTheMessageIsTriedAgain(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		v := newTown(t, url, notifier.ReachMail, 1)
		v.answer = only(0, channels.Denied)
		v.steps, v.fails = 1, 1 // the claim is stored, and the instance dies before the refusal is
		v.round(t)
		if got := v.target(t, 0); v.tries[0] != 1 || got.Refusals != 0 || got.UpTo == 0 {
			t.Fatalf("%d tries, %+v", v.tries[0], got)
		}
		v.pass(t, 2*time.Minute)
		if got := v.target(t, 0); v.tries[0] < 2 || got.Refusals != 1 {
			t.Errorf("%d tries, %+v", v.tries[0], got)
		}
		v.answer = only(-1, 0)
		v.pass(t, time.Hour)
		if got := v.target(t, 0); got.Told != v.at || got.Refusals != 0 || got.State != notifier.ReachOn {
			t.Errorf("afterwards: %+v", got)
		}
	})
}
