package store_test

import (
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// likeness is a user and another owner that would have the same name as text.
type likeness struct {
	name  string
	other notifier.Ref
}

func likenesses() []likeness {
	return []likeness{
		{"key shop", notifier.KeyRef("shop")},
		{"shop", notifier.KeyRef("shop")},
		{"rule low-stock", notifier.RuleRef("low-stock")},
		{"low-stock", notifier.RuleRef("low-stock")},
		{"form:2", notifier.UserRef(notifier.User{Seq: 2})},
		{"2", notifier.UserRef(notifier.User{Seq: 2})},
		{"user 2", notifier.UserRef(notifier.User{Seq: 2})},
		{"command line", notifier.CommandRef("command line")},
		{"carillon send", notifier.CommandRef("carillon send")},
		{"deleted", notifier.DeletedUser()},
		{"0", notifier.DeletedUser()},
		{"notice 1", notifier.NoticeRef(1)},
		{"role staff", notifier.RoleRef("staff")},
	}
}

// TestUsersAreNotConfusedWithOtherOwnersOfTheSameName checks that a user with the name of another
// owner gets none of its data and inherits nothing from it (promise P6).
func TestUsersAreNotConfusedWithOtherOwnersOfTheSameName(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "alice")
		addUser(t, s, "bob")
		for _, like := range likenesses() {
			other := like.other
			n := fromRef(t, s, other)
			first := onceFrom(other, like.name)
			acceptAll(t, s, first)
			if err := s.Audit(t.Context(), notifier.AuditEntry{Actor: other, Action: "x", Object: other, Address: "192.0.2.1"}); err != nil {
				t.Fatal(err)
			}
			before := entries(t, s)

			user := addUser(t, s, like.name)
			own := fromRef(t, s, notifier.UserRef(user))
			e := must(s.ExportUser(t.Context(), like.name))(t)
			var sent []int64
			for each, err := range e.Sent {
				sent = append(sent, must(each, err)(t).ID)
			}
			for entry, err := range e.Log {
				t.Errorf("%q is exported with %+v", like.name, must(entry, err)(t))
			}
			if !slices.Equal(sent, []int64{own}) {
				t.Errorf("%q is exported with the notices %v; want only %d", like.name, sent, own)
			}
			if mine := onceFrom(notifier.UserRef(user), like.name); true {
				if acceptAll(t, s, mine); mine.Replayed {
					t.Errorf("%q collides with the idempotency keys of %v", like.name, other)
				}
			}
			deleteUser(t, s, like.name)

			if left := must(s.Notice(t.Context(), n))(t); left.Sender.Kind != other.Kind || left.Sender.ID != other.ID {
				t.Errorf("deleting %q changed the sender of a notice from %#v to %#v", like.name, other, left.Sender)
			}
			if left := must(s.Notice(t.Context(), own))(t); left.Sender != notifier.DeletedUser() {
				t.Errorf("the notice of the deleted user %q has the sender %#v", like.name, left.Sender)
			}
			again := onceFrom(other, like.name)
			if acceptAll(t, s, again); !again.Replayed || again.Notice.ID != first.Notice.ID {
				t.Errorf("deleting %q deleted the key of a request of %v: notice %d, then %d", like.name, other, first.Notice.ID, again.Notice.ID)
			}
			if diff := cmp.Diff(before, entries(t, s)); diff != "" {
				t.Errorf("deleting %q changed the log (-want +got):\n%s", like.name, diff)
			}
		}
	})
}

// TestReusedNameInheritsNothingFromADeletedUser includes a user whose account was deleted while a
// notice was being sent.
func TestReusedNameInheritsNothingFromADeletedUser(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		first := addUser(t, s, "alice")
		deleteUser(t, s, "alice")
		late := fromRef(t, s, notifier.UserRef(first))
		second := addUser(t, s, "alice")
		for each, err := range must(s.ExportUser(t.Context(), "alice"))(t).Sent {
			t.Errorf("the second alice is exported with %+v", must(each, err)(t))
		}
		n := must(s.Notice(t.Context(), late))(t)
		if n.Sender.Is(notifier.UserRef(second)) || n.Sender.Name != "" {
			t.Errorf("a notice of the first alice has the sender %#v", n.Sender)
		}
	})
}

// TestAuditFindsAUserByName covers callers that have only the name of a user.
func TestAuditFindsAUserByName(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice")
		for _, name := range []string{"alice", "nobody", "2"} {
			if err := s.Audit(t.Context(), notifier.AuditEntry{Actor: notifier.KeyRef("shop"), Action: "x", Object: notifier.UserNamed(name)}); err != nil {
				t.Fatal(err)
			}
		}
		unknown := notifier.Ref{Kind: notifier.KindUser, ID: "0", Name: "deleted"}
		var got []notifier.Ref
		for _, e := range entries(t, s) {
			got = append(got, e.Object)
		}
		if diff := cmp.Diff([]notifier.Ref{unknown, unknown, notifier.UserRef(alice)}, got); diff != "" {
			t.Errorf("the log has (-want +got):\n%s", diff)
		}
	})
}

// fromRef accepts a notice with this sender.
func fromRef(t *testing.T, s *store.Store, from notifier.Ref) int64 {
	t.Helper()
	d := draft()
	d.Sender = from
	a := &notifier.Acceptance{Notice: &notifier.Notice{Draft: d}, To: roaring.BitmapOf(1, 2)}
	acceptAll(t, s, a)
	return a.Notice.ID
}

func onceFrom(owner notifier.Ref, key string) *notifier.Acceptance {
	a := request("", key, "digest")
	a.Once.Owner = owner
	return a
}

func entries(t *testing.T, s *store.Store) []notifier.AuditEntry {
	t.Helper()
	return must(s.AuditLog(t.Context(), 0, 1000))(t)
}
