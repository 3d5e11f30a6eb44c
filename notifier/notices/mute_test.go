package notices_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func (r *rig) mute(t *testing.T, seq int64, typ string, muted bool) {
	t.Helper()
	if err := r.store.SetMute(t.Context(), seq, typ, muted); err != nil {
		t.Fatal(err)
	}
}

func TestMutedTypeReachesOnlyTheOtherUsers(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 4)
	p := running(t, r.config())
	r.mute(t, seqs[1], "news", true)
	r.mute(t, seqs[2], "like", true) // another type
	if count, err := count(t, p, toRole("all")); err != nil || count != 3 {
		t.Errorf("Count: %d, %v; want 3", count, err)
	}
	n := send(t, p, toRole("all"))
	if n.Recipients != 3 || n.State != notifier.StateSent {
		t.Errorf("sent as %+v", n)
	}
	others := []int64{seqs[0], seqs[2], seqs[3]}
	r.everyoneHas(t, others, 1)
	r.everyoneHas(t, seqs[1:2], 0)

	// The recipients are fixed: muting or unmuting now changes nothing.
	r.mute(t, seqs[0], "news", true)
	r.mute(t, seqs[1], "news", false)
	if err := p.Retract(t.Context(), notifier.Actor{}, n.ID); err != nil {
		t.Fatal(err)
	}
	r.everyoneHas(t, seqs, 0)
	send(t, p, toRole("all"))
	r.everyoneHas(t, seqs[1:], 1)
	r.everyoneHas(t, seqs[:1], 0)
}

func TestNoticeMutedByItsOnlyRecipientIsAcceptedForNobody(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 1)
	r.mute(t, seqs[0], "news", true)
	p := running(t, r.config())
	if count, err := count(t, p, toUsers("u1")); err != nil || count != 0 {
		t.Errorf("Count: %d, %v; want 0", count, err)
	}
	n := send(t, p, toUsers("u1"))
	if n.ID == 0 || n.State != notifier.StateSent || n.Recipients != 0 || !n.Routed {
		t.Errorf("sent as %+v", n)
	}
	r.everyoneHas(t, seqs, 0)
	got, err := p.Progress(t.Context(), n.ID)
	if err != nil || !got.Counted || got.Delivered != 0 {
		t.Errorf("progress: %+v, %v", got, err)
	}
}

func TestNoticeRoutedLaterFollowsTheMutesOfThatTime(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 300)
	n := notifier.Notice{Draft: toRole("all"), ExpiresAt: time.Now().Add(time.Hour)} // as left by a sender that dies at once
	r.accept(t, &n)
	for _, seq := range seqs[:100] {
		r.mute(t, seq, "news", true)
	}
	running(t, r.config())
	r.state(t, n.ID, notifier.StateSent)
	r.everyoneHas(t, seqs[100:], 1)
	r.everyoneHas(t, seqs[:100], 0)
	if d, _, err := r.counted(t.Context(), n.ID); err != nil || d != 200 {
		t.Errorf("delivered: %d, %v; want 200", d, err)
	}
}
