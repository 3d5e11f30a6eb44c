package store_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// links gives the board of a role a new link.
func links(t *testing.T, s *store.Store, role string, replaces bool) string {
	t.Helper()
	token, replaced, err := s.LinkBoard(t.Context(), notifier.Actor{Ref: notifier.CommandRef("test")}, role)
	if err != nil || replaced != replaces || len(token) < 26 {
		t.Fatalf("a link of %s: token %q, replaced %v, %v", role, token, replaced, err)
	}
	return token
}

func TestTheLinkOfABoardIsValidForOneRoleUntilItIsReplacedOrRevoked(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "ann", "picker", "lead")
		opens := func(role, token string, want bool) {
			t.Helper()
			if has := must(s.HasBoard(t.Context(), role, token))(t); has != want {
				t.Errorf("%s by %q: %v", role, token, has)
			}
		}
		picker, lead := links(t, s, "picker", false), links(t, s, "lead", false)
		opens("picker", picker, true)
		opens("picker", lead, false)
		opens("lead", picker, false)
		opens("nobody", picker, false)
		opens("picker", "", false)
		again := links(t, s, "picker", true)
		opens("picker", picker, false)
		opens("picker", again, true)
		opens("lead", lead, true)
		by := notifier.Actor{Ref: notifier.CommandRef("test")}
		if got := must(s.Boards(t.Context()))(t); len(got) != 2 || got[0].Role != "lead" || got[1].Role != "picker" || !got[1].LinkedAt.Equal(db.clock.now()) {
			t.Errorf("the boards are %+v", got)
		}
		if err := s.RevokeBoard(t.Context(), by, "picker"); err != nil {
			t.Fatal(err)
		}
		if got := must(s.Boards(t.Context()))(t); len(got) != 1 || got[0].Role != "lead" {
			t.Errorf("after one was revoked: %+v", got)
		}
		opens("picker", again, false)
		opens("lead", lead, true)
		for _, role := range []string{"picker", "nobody"} {
			if err := s.RevokeBoard(t.Context(), by, role); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("revoking %s, which has none: %v", role, err)
			}
		}
		if _, _, err := s.LinkBoard(t.Context(), by, "nobody"); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("a link of an unknown role: %v", err)
		}
		var log []string
		for _, e := range must(s.AuditLog(t.Context(), 0, 9))(t) {
			log = append(log, e.Action+" "+e.Object.ID)
		}
		if !slices.Equal(log, []string{"board.revoke picker", "board.link picker", "board.link lead", "board.link picker"}) {
			t.Errorf("the audit log has %q", log)
		}
		if err := s.DeleteRole(t.Context(), "lead"); err != nil {
			t.Fatal(err)
		}
		addUser(t, s, "ben", "lead")
		opens("lead", lead, false)
	})
}
