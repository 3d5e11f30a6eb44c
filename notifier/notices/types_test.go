package notices_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
)

func TestRefusedNoticesAndAnnouncementsRecordNoType(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	r.users(t, "all", 2)
	known := &types{}
	c := r.config()
	c.Types = known
	p := running(t, c)
	typed := func(typ string, d notifier.Draft) notifier.Request {
		d.Type = typ
		return notifier.Request{Draft: d}
	}
	p.SendAll(t.Context(), notifier.Actor{}, []notifier.Request{
		typed("junk.1", toUsers("nobody-such")), typed("sent", toUsers("u1")), typed("junk.2", toUsers("nobody-such", "u1")),
		typed("No type", toUsers("u1")), typed("posted", toAudiences(3)), typed("sent", toUsers("u2")),
	})

	if diff := cmp.Diff([]string{"sent"}, known.used); diff != "" {
		t.Error(diff)
	}
}
