package notices_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestRecipientsAreListedWithWhetherTheyHaveRead(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 4)
	p := running(t, r.config())
	n := send(t, p, toRole("all"))
	for _, seq := range seqs[:2] { // u1 and u2 read theirs
		if _, err := r.inbox.Open(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
	}
	for _, seq := range seqs[1:3] { // u2 deletes it read, u3 unread
		if _, err := r.inbox.Delete(t.Context(), seq, n.Key()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := p.Receipts(t.Context(), &n, 4)
	want := []notifier.Receipt{
		{User: notifier.UserName{Name: "u3"}, Delivered: true},
		{User: notifier.UserName{Name: "u4"}, Delivered: true},
		{User: notifier.UserName{Name: "u1"}, Delivered: true, Read: true},
		{User: notifier.UserName{Name: "u2"}, Delivered: true, Read: true},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err := p.Receipts(t.Context(), &n, 3); err != nil || got != nil {
		t.Errorf("with more recipients than wanted: %v, %v", got, err)
	}
}
