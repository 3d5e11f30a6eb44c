package notices_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

// Environment variables for an instance in a separate process.
const (
	instanceDir    = "NOTICES_TEST_DIR"
	instanceSocket = "NOTICES_TEST_SOCKET"
	instancePrefix = "NOTICES_TEST_PREFIX"
	instanceToasts = "NOTICES_TEST_TOASTS" // where it hangs: before or after raising toasts
)

// serveInstance accepts and delivers until it is killed.
func serveInstance() {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Config{DataDir: os.Getenv(instanceDir)})
	if err != nil {
		panic(err)
	}
	rdb := redis.NewClient(&redis.Options{Network: "unix", Addr: os.Getenv(instanceSocket)})
	k := keys.New(os.Getenv(instancePrefix))
	r := &rig{store: s, rdb: rdb, keys: k, inbox: inbox.New(rdb, k, inbox.Options{SQL: s}), board: newAnnouncements(rdb, k, s)}
	c := r.config()
	c.Chunk = 100 // several ranges, so that it can be killed between two
	if when := os.Getenv(instanceToasts); when != "" {
		toasts := r.toasts()
		c.Toasts = raising(func(ctx context.Context, all []notifier.ToastRaise) []error {
			if when == "after" {
				toasts.RaiseAll(ctx, all)
			}
			select {}
		})
	}
	panic(fmt.Sprint("the instance ended: ", notices.New(c).Run(ctx)))
}

// otherInstance starts an instance that can be killed.
func (r *rig) otherInstance(t *testing.T, env ...string) *exec.Cmd {
	t.Helper()
	prefix := strings.TrimSuffix(r.keys.Lease(""), "lease:")
	other := exec.Command(os.Args[0])
	other.Env = append(os.Environ(), instanceDir+"="+r.dir, instanceSocket+"="+redistest.Socket(t), instancePrefix+"="+prefix)
	other.Env = append(other.Env, env...)
	other.Stderr = os.Stderr
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if other.ProcessState == nil {
			_ = other.Process.Kill()
			_ = other.Wait()
		}
	})
	return other
}

func TestAnotherInstanceFinishesTheWorkOfAKilledOne(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 6000)
	p := notices.New(r.config())
	n := send(t, p, toRole("all"))
	first := r.otherInstance(t)
	delivered := func() int64 {
		d, _, err := r.counted(t.Context(), n.ID)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	testkit.Eventually(t, "the first instance is at work", func() bool { return delivered() > 1000 })
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait()
	if now, err := r.store.Notice(t.Context(), n.ID); err != nil || now.State != notifier.StateSending {
		t.Fatalf("killed with the notice %s (%d delivered), %v; want it to be sending", now.State, delivered(), err)
	}

	began := time.Now()
	start(t, p)
	r.state(t, n.ID, notifier.StateSent)
	t.Logf("finished %v after the death of the first", time.Since(began))
	r.everyoneHas(t, seqs, 1)
	if got := delivered(); got != 6000 {
		t.Errorf("delivered: %d, want 6,000", got)
	}
}

func TestKillDuringRaiseLosesAndRepeatsNoToast(t *testing.T) {
	t.Parallel()
	for _, when := range []string{"before", "after"} {
		for name, users := range map[string]int{"whole": 3, "range by range": 250} {
			t.Run(when+"/"+name, func(t *testing.T) {
				t.Parallel()
				r := newRig(t, redistest.Client(t))
				seqs := r.users(t, "all", users)
				c := r.withToasts()
				c.Chunk, c.Wait = 100, 0
				p := notices.New(c)
				n := send(t, p, withToast(toRole("all")))
				first := r.otherInstance(t, instanceToasts+"="+when)
				testkit.Eventually(t, "the notice is delivered, and the instance hangs", func() bool {
					d, _, err := r.counted(t.Context(), n.ID)
					return err == nil && d >= int64(min(users, 100)) && (when == "before" || len(r.raised(t, n.ID)) >= min(users, 100))
				})
				if err := first.Process.Kill(); err != nil {
					t.Fatal(err)
				}
				_ = first.Wait()
				if state := r.stateOf(t, n.ID); state == notifier.StateSent {
					t.Fatal("marked as sent")
				}
				start(t, p)
				r.state(t, n.ID, notifier.StateSent)
				r.everyoneHas(t, seqs, 1)
				r.wantRaised(t, n.ID, seqs)
			})
		}
	}
}

func TestStoppedInstanceHandsItsWorkOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 5000)
	c := r.config()
	c.Chunk = 100
	first, second := notices.New(c), notices.New(c)
	stop := start(t, first)
	n := send(t, first, toRole("all"))
	testkit.Eventually(t, "the first instance is at work", func() bool {
		d, _, err := r.counted(t.Context(), n.ID)
		return err == nil && d >= 100
	})
	stop()
	if now, err := r.store.Notice(t.Context(), n.ID); err != nil || now.State != notifier.StateSending {
		t.Fatalf("stopped with the notice %s, %v; want it to be sending", now.State, err)
	}
	start(t, second)
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
}

func TestInstancesWorkingOnTheSameNoticeDoNoHarm(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1000)
	c := r.config()
	// The instances take over each other's work, but not faster than they record their progress, on a slow machine too:
	// work that is claimed 20 times without progress is given up.
	c.Chunk, c.Claim = 50, time.Second
	n := send(t, notices.New(c), toRole("all"))
	again := notifier.Work{Kind: notifier.WorkDeliver, NoticeID: n.ID, Again: true}
	r.put(t, again, again, again)
	for range 3 {
		c.Announcements = newAnnouncements(r.rdb, r.keys, r.store)
		start(t, notices.New(c))
	}
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs, 1)
	if d, _, err := r.counted(t.Context(), n.ID); err != nil || d != 1000 {
		t.Errorf("delivered: %d, %v; want 1,000", d, err)
	}
}
