package notifier_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func FuzzMembersAreTheWordThatTheyWereReadFrom(f *testing.F) {
	for _, word := range []string{"m5+,12=ab,13=", "g1,1=", "g0,1=", "x1,1=", "m1", "m1,", "m1,a=b", "m1,0=", "m1,1", ""} {
		f.Add(word)
	}
	f.Fuzz(func(t *testing.T, word string) {
		m, ok := notifier.ParseMembers(word)
		if !ok {
			return
		}
		again, ok := notifier.ParseMembers(m.String())
		if !ok || again.String() != m.String() || m.Times < 1 || len(m.Notices) == 0 || m.Others() < 0 {
			t.Errorf("%q became %q", word, again.String())
		}
	})
}

func TestAnActorIsIdentifiedByIDOrElseByName(t *testing.T) {
	t.Parallel()
	code := func(id, name string) string { return (&notifier.RowActor{ID: id, Name: name}).Code() }
	if code("1", "Alice") != code("1", "Alice Abe") || code("", "Alice") == code("", "Bob") || code("Alice", "x") == code("", "Alice") || (*notifier.RowActor)(nil).Code() != "" {
		t.Error("wrong codes")
	}
}

func TestAnEventWithoutAGroupIsNotChanged(t *testing.T) {
	t.Parallel()
	for _, event := range []string{`{}`, `{"at":1,"title":"a"}`, `{"at":1,"type":"x","data":{"group":{"times":5}}}`, `{"group":`, `{"group":5,"title":"x"}`} {
		if got := notifier.ShowGroup(event, notifier.Somebody); got != event {
			t.Errorf("%s became %s", event, got)
		}
	}
}
