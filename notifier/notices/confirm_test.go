package notices_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/route"
)

type countedRouter struct {
	notices.Router
	calls int
}

func (r *countedRouter) RecipientsAll(ctx context.Context, drafts []notifier.Draft) ([]route.Answer, error) {
	r.calls++
	return r.Router.RecipientsAll(ctx, drafts)
}

// counting returns Notices that count how often they validate a draft without an expiry, and how often they route.
func (r *rig) counting() (p *notices.Notices, validated *int, routed *countedRouter) {
	c := r.config()
	validated, routed = new(int), &countedRouter{Router: c.Router}
	c.Router, c.Wait = routed, 0
	c.Limits.Expiry = func(string) time.Duration {
		*validated++
		return 0
	}
	return notices.New(c), validated, routed
}

// The path from the form to a role of any size has two requests: one shows the number, the other confirms it and
// sends.
func TestEachRequestValidatesAndRoutesOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 3)
	p, validated, routed := r.counting()
	if _, err := p.Confirm(t.Context(), toRole("all")); err != nil {
		t.Fatal(err)
	}
	sure, err := p.Confirm(t.Context(), toRole("all"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Send(t.Context(), notifier.Actor{}, sure, once("x")); err != nil {
		t.Fatal(err)
	}
	if *validated != 2 || routed.calls != 2 {
		t.Errorf("the form validated %d times and routed %d times in two requests", *validated, routed.calls)
	}
	p, validated, routed = r.counting()
	for _, result := range p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{{Draft: toRole("all")}, {Draft: toUsers("u1")}}) {
		if result.Err != nil {
			t.Error(result.Err)
		}
	}
	if *validated != 2 || routed.calls != 1 {
		t.Errorf("two drafts at once were validated %d times and routed %d times", *validated, routed.calls)
	}
}

func TestNoticeGoesToTheConfirmedRecipients(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	p := running(t, r.config())
	sure, err := p.Confirm(t.Context(), toRole("all"))
	if err != nil || sure.Recipients != 3 {
		t.Fatalf("confirmed for %d, %v; want 3", sure.Recipients, err)
	}
	late, err := r.store.CreateUser(t.Context(), notifier.NewUser{Name: "late", Audience: 3, Roles: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	r.mute(t, seqs[0], "news", true)
	n, err := p.Send(t.Context(), notifier.Actor{}, sure, nil)
	if err != nil || n.Recipients != sure.Recipients {
		t.Errorf("sent to %d, %v; want the %d confirmed", n.Recipients, err, sure.Recipients)
	}
	r.everyoneHas(t, seqs, 1)
	r.everyoneHas(t, []int64{late.Seq}, 0)
}

func TestRecipientsOfAnUnfinishedDraftAreCounted(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	seqs := r.users(t, "all", 3)
	r.mute(t, seqs[0], "news", true)
	p, _, routed := r.counting()
	unfinished := func(d notifier.Draft, typ string) notifier.Draft {
		d.Title, d.Type = "", typ
		return d
	}
	for name, test := range map[string]struct {
		draft  notifier.Draft
		want   int64
		faults []string
	}{
		"no title":        {unfinished(toRole("all"), "news"), 2, []string{"title"}},
		"no type":         {unfinished(toRole("all"), "not a type\x00"), 3, []string{"type", "title"}},
		"an audience":     {unfinished(toAudiences(3), ""), 3, []string{"title"}},
		"an unknown role": {unfinished(toRole("nobody"), "news"), 0, []string{"to", "title"}},
		"no target":       {unfinished(toRole(""), "news"), 0, []string{"to", "title"}},
	} {
		before := routed.calls
		sure, err := p.Confirm(t.Context(), test.draft)
		var bad *notifier.InvalidError
		var faults []string
		if errors.As(err, &bad) {
			for _, f := range bad.Fields {
				faults = append(faults, f.Field)
			}
		}
		if sure.Recipients != test.want || sure.To != nil || !slices.Equal(faults, test.faults) || routed.calls-before > 1 {
			t.Errorf("%s: %d recipients with faults %v (%v), routed %d times", name, sure.Recipients, faults, err, routed.calls-before)
		}
	}
}
