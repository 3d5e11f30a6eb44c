package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestUsersJoinAndLeaveARoleTogetherWithAnEntryEach(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "ann", "picker")
		addUser(t, s, "bea")
		addUser(t, s, "cid")
		seqs := make([]int64, 3)
		for i, name := range []string{"ann", "bea", "cid"} {
			seqs[i] = must(s.UserByName(t.Context(), name))(t).Seq
		}
		by := notifier.Actor{Ref: notifier.CommandRef("test"), Address: "192.0.2.1"}
		join, leave := notifier.Membership{Role: "picker"}, notifier.Membership{Role: "picker", Leave: true}
		for i, c := range []struct {
			m       notifier.Membership
			who     []int64
			changed []int64
			members []uint32
		}{
			{join, []int64{seqs[2], seqs[0], seqs[1], 999}, seqs[1:], []uint32{uint32(seqs[0]), uint32(seqs[1]), uint32(seqs[2])}},
			{join, seqs, nil, []uint32{uint32(seqs[0]), uint32(seqs[1]), uint32(seqs[2])}},
			{leave, []int64{seqs[0], seqs[2], 999}, []int64{seqs[0], seqs[2]}, []uint32{uint32(seqs[1])}},
			{leave, []int64{seqs[0]}, nil, []uint32{uint32(seqs[1])}},
			{leave, nil, nil, []uint32{uint32(seqs[1])}},
		} {
			changed := must(s.ChangeMembers(t.Context(), by, c.m, c.who))(t)
			if diff := cmp.Diff(c.changed, changed); diff != "" {
				t.Errorf("%d: changed (-want +got):\n%s", i, diff)
			}
			if got := must(s.RoleMembers(t.Context(), "picker"))(t).ToArray(); !slices.Equal(got, c.members) {
				t.Errorf("%d: the members are %v, want %v", i, got, c.members)
			}
			for _, seq := range changed {
				change, found, err := s.ChangedUser(t.Context(), seq)
				if err != nil || !found {
					t.Errorf("%d: the change of user %d is not published: %v", i, seq, err)
				}
				if err := s.ToldChange(t.Context(), change); err != nil {
					t.Fatal(err)
				}
			}
		}
		var log []string
		for _, seq := range seqs {
			for _, e := range must(s.UserLog(t.Context(), seq, 9))(t) {
				log = append(log, e.Object.ID+" "+e.Action+" "+e.Detail+" "+e.Actor.ID+" "+e.Address)
			}
		}
		want := []string{"1 user.role.remove picker test 192.0.2.1", "2 user.role.add picker test 192.0.2.1", "3 user.role.remove picker test 192.0.2.1", "3 user.role.add picker test 192.0.2.1"}
		if diff := cmp.Diff(want, log); diff != "" {
			t.Errorf("the log (-want +got):\n%s", diff)
		}
		_, err := s.ChangeMembers(t.Context(), by, notifier.Membership{Role: "nobody"}, seqs)
		wantIs(t, err, notifier.ErrNotFound)
	})
}

// A member whom only an app has put into a role joins it like anybody else, and then the app cannot take them out.
func TestJoiningMakesAMembershipOfAnAppPermanent(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		token, now := shop(t, s, "shop"), db.clock.now()
		u, _, _, err := s.Arrive(t.Context(), token("42", now, notifier.TokenProfile{Roles: told([]string{"picker"})}))
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range [][]int64{{u.Seq}, nil} {
			got := must(s.ChangeMembers(t.Context(), notifier.Actor{}, notifier.Membership{Role: "picker"}, []int64{u.Seq}))(t)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d: changed (-want +got):\n%s", i, diff)
			}
		}
		u, _, _, err = s.Arrive(t.Context(), token("42", now.Add(time.Minute), notifier.TokenProfile{Roles: told([]string{})}))
		if err != nil || !slices.Equal(u.Roles, []string{"picker"}) {
			t.Errorf("the app has taken the role away: %v, %v", u.Roles, err)
		}
	})
}
