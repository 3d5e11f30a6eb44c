package notifier_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestDifferentRefsNeverMatchWhateverTheNames(t *testing.T) {
	t.Parallel()
	user := func(seq int64, name string) notifier.Ref {
		return notifier.UserRef(notifier.User{Seq: seq, Name: name})
	}
	all := []notifier.Ref{
		user(1, "key shop"), user(2, "shop"), user(3, "key 1"), user(4, "command line"), user(5, "user 1"),
		notifier.KeyRef("shop"), notifier.KeyRef("1"), notifier.KeyRef("key shop"), notifier.KeyRef("user 1"), notifier.KeyRef("shop "),
		notifier.RuleRef("shop"), notifier.RuleRef("1"), notifier.CommandRef("shop"), notifier.CommandRef("key shop"), notifier.CommandRef("command line"),
		notifier.RoleRef("shop"), notifier.TypeRef("shop"), notifier.NoticeRef(1), notifier.DeadLetterRef(1), notifier.FileRef("1"),
	}
	for i, a := range all {
		for j, b := range all {
			if a.Is(b) != (i == j) || (a.Token() == b.Token()) != (i == j) {
				t.Errorf("%#v and %#v: Is = %v, tokens %q and %q", a, b, a.Is(b), a.Token(), b.Token())
			}
		}
	}
	if !user(1, "alice").Is(user(1, "")) {
		t.Error("a user's ref with and without the name do not match")
	}
	for _, nobody := range []notifier.Ref{{}, notifier.DeletedUser(), notifier.UserNamed("alice")} {
		if same := nobody; nobody.Is(same) {
			t.Errorf("%#v matches itself", nobody)
		}
	}
}

func TestStringDescribesTheRef(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]notifier.Ref{
		"alice": notifier.UserRef(notifier.User{Seq: 1, Name: "alice"}), "user 1": notifier.UserRef(notifier.User{Seq: 1}), "bob": notifier.UserNamed("bob"),
		"": notifier.DeletedUser(), "key shop": notifier.KeyRef("shop"), "rule low": notifier.RuleRef("low"), "carillon send": notifier.CommandRef("carillon send"),
		"notice 7": notifier.NoticeRef(7), "role staff": notifier.RoleRef("staff"), "type like": notifier.TypeRef("like"),
		"dead letter 9": notifier.DeadLetterRef(9), "users.csv": notifier.FileRef("users.csv"),
	} {
		if r.String() != want {
			t.Errorf("%#v is displayed as %q; want %q", r, r, want)
		}
	}
}
