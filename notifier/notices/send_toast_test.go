package notices_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

// crowd is a router that finds this many users for any draft.
type crowd int

func (c crowd) RecipientsAll(context.Context, []notifier.Draft) ([]route.Answer, error) {
	to := roaring.New()
	to.AddRange(1, uint64(c)+1)
	return []route.Answer{{To: to}}, nil
}

var alone = notifier.Draft{Target: notifier.Target{Role: "all"}, Title: "Export ready", ExpiresIn: time.Minute}

func TestToastIsRefusedForMoreThan100000Users(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	told := 0
	c := r.config()
	c.Toasts = raising(func(_ context.Context, all []notifier.ToastRaise) []error {
		if len(all) != 1 || len(all[0].Seqs) > 5000 || all[0].Token == "" || all[0].NoticeID != 0 || all[0].Key != "" {
			t.Errorf("raised %+v", all)
		}
		told += len(all[0].Seqs)
		return make([]error, 1)
	})
	c.Router = crowd(100_000)
	if n, replayed, err := notices.New(c).SendToast(t.Context(), alone, nil); n != 100_000 || replayed || err != nil || told != 100_000 {
		t.Errorf("for %d users, %v, %v; %d were reached", n, replayed, err, told)
	}
	c.Router, told = crowd(100_001), 0
	_, _, err := notices.New(c).SendToast(t.Context(), alone, nil)
	want := &notifier.InvalidError{Fields: []notifier.FieldError{
		{Field: "to", Code: notifier.CodeToastUsers, Params: map[string]any{"Count": uint64(100_001), "Max": 100_000}},
	}}
	if bad := (*notifier.InvalidError)(nil); !errors.As(err, &bad) || cmp.Diff(want, bad) != "" || told != 0 {
		t.Errorf("%v, and %d were reached", err, told)
	}
}

// The first request was interrupted halfway. Repeating it completes it, with its original expiry and result.
func TestInterruptedToastRequestIsCompletedByItsRepeat(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	now := time.Now()
	var raises []notifier.ToastRaise
	refuse := true
	c, toasts := r.config(), r.toasts()
	c.Now = func() time.Time { return now }
	c.Toasts = raising(func(ctx context.Context, all []notifier.ToastRaise) []error {
		raises = append(raises, all...)
		if refuse {
			half := all[0]
			half.Seqs = seqs[:2]
			toasts.RaiseAll(ctx, []notifier.ToastRaise{half})
			return fail(all, fmt.Errorf("raise: %w", notifier.ErrUnavailable))
		}
		return toasts.RaiseAll(ctx, all)
	})
	p := notices.New(c)
	once := &notifier.Once{Owner: notifier.KeyRef("shop"), Key: "k", Digest: []byte("1")}
	if _, _, err := p.SendToast(t.Context(), alone, once); !errors.Is(err, notifier.ErrUnavailable) {
		t.Fatalf("%v", err)
	}
	refuse, now = false, now.Add(10*time.Second)
	for range 2 {
		if n, replayed, err := p.SendToast(t.Context(), alone, once); n != 3 || !replayed || err != nil {
			t.Errorf("for %d users, %v, %v", n, replayed, err)
		}
	}
	r.wantRaised(t, 0, seqs)
	if len(raises) != 2 || raises[0].Token != raises[1].Token || raises[0].EndsAt != raises[1].EndsAt {
		t.Errorf("raised %+v", raises)
	}
	other := &notifier.Once{Owner: notifier.KeyRef("shop"), Key: "k", Digest: []byte("2")}
	if _, _, err := p.SendToast(t.Context(), alone, other); !errors.Is(err, notifier.ErrOtherRequest) {
		t.Errorf("another request: %v", err)
	}

	// An interrupted request whose toasts have expired is not started again.
	refuse, once.Key = true, "late"
	if _, _, err := p.SendToast(t.Context(), alone, once); !errors.Is(err, notifier.ErrUnavailable) {
		t.Fatalf("%v", err)
	}
	refuse, now = false, now.Add(time.Minute)
	if n, replayed, err := p.SendToast(t.Context(), alone, once); n != 3 || !replayed || err != nil || len(raises) != 3 {
		t.Errorf("for %d users, %v, %v; raised %d times", n, replayed, err, len(raises))
	}
	// Neither record outlives the day in which a request may be repeated.
	for _, key := range r.rdb.Keys(t.Context(), r.keys.ToastRequest("*")).Val() {
		if life := r.rdb.TTL(t.Context(), key).Val(); life <= 23*time.Hour || life > 24*time.Hour {
			t.Errorf("a request is kept for %v", life)
		}
	}
}

func TestWithoutToastsNoneIsShown(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 2)
	p := running(t, r.config())
	if _, _, err := p.SendToast(t.Context(), alone, nil); !errors.Is(err, notifier.ErrUnavailable) {
		t.Errorf("%v", err)
	}
	if n := send(t, p, withToast(toRole("all"))); n.State != notifier.StateSent {
		t.Errorf("the notice is %s", n.State)
	}
	r.everyoneHas(t, seqs, 1)
	if st := p.Stats(); st.Failed > 0 || r.dead(t) > 0 {
		t.Errorf("%+v, and %d dead letters", st, r.dead(t))
	}
}
