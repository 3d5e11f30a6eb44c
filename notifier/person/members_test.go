package person_test

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// TestAllWhoMatchJoinAndLeaveInSteps has 2,400 users: 300 do not match, and 10 of the others are members already.
func TestAllWhoMatchJoinAndLeaveInSteps(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	made := 0
	_, err = db.ImportUsers(t.Context(), 2400, func() (notifier.NewUser, int, error) {
		if made++; made > 2400 {
			return notifier.NewUser{}, 0, io.EOF
		}
		u := notifier.NewUser{Name: fmt.Sprintf("u%04d", made), Audience: 2}
		if made <= 300 {
			u.Audience = 3
		} else if made <= 310 {
			u.Roles = []string{"picker"}
		}
		return u, made, nil
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	quiet := slog.New(slog.DiscardHandler)
	p := person.New(person.Config{
		Store: db, Audit: db, Sessions: session.New(session.Config{SQL: db, Redis: redistest.Client(t), Space: redistest.Space(t), Log: quiet}),
	})
	by := notifier.Actor{Ref: notifier.CommandRef("test")}
	all := func(m notifier.Membership) (steps []notifier.MembershipStep) {
		q := notifier.UserQuery{Audience: 2}
		for {
			step, err := p.ChangeMatching(t.Context(), by, m, q)
			if err != nil {
				t.Fatal(err)
			}
			if steps = append(steps, step); step.Reached == "" {
				return steps
			}
			q.After = step.Reached
		}
	}
	join, leave := notifier.Membership{Role: "picker"}, notifier.Membership{Role: "picker", Leave: true}
	for i, c := range []struct {
		m    notifier.Membership
		want []notifier.MembershipStep
	}{
		{join, []notifier.MembershipStep{{Looked: 2000, Changed: 1990, Reached: "u2300"}, {Looked: 100, Changed: 100}}},
		{join, []notifier.MembershipStep{{Looked: 2000, Reached: "u2300"}, {Looked: 100}}},
		{leave, []notifier.MembershipStep{{Looked: 2000, Changed: 2000, Reached: "u2300"}, {Looked: 100, Changed: 100}}},
		{leave, []notifier.MembershipStep{{Looked: 2000, Reached: "u2300"}, {Looked: 100}}},
	} {
		if diff := cmp.Diff(c.want, all(c.m)); diff != "" {
			t.Errorf("%d (-want +got):\n%s", i, diff)
		}
	}
	if role, err := db.Role(t.Context(), "picker"); err != nil || role.Members != 0 {
		t.Errorf("%+v, %v", role, err)
	}
	if _, err := p.ChangeMatching(t.Context(), by, notifier.Membership{Role: notifier.RoleStaff}, notifier.UserQuery{}); !errors.Is(err, notifier.ErrConflict) {
		t.Errorf("all become staff: %v", err)
	}
	if _, err := p.ChangeMembers(t.Context(), by, join, make([]int64, person.MembersAtOnce+1)); !errors.Is(err, notifier.ErrTooLarge) {
		t.Errorf("too many at once: %v", err)
	}
}
