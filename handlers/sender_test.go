package handlers

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/views/locale"
)

func TestNoUserIsShownLikeAnotherKindOfSender(t *testing.T) {
	t.Parallel()
	user := func(name string) notifier.Ref { return notifier.UserRef(notifier.User{Seq: 7, Name: name}) }
	all, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range all.Printers() {
		lang := text.Lang()
		others := []notifier.Ref{
			notifier.KeyRef("shop"), notifier.RuleRef("shop"), notifier.CommandRef("shop"), notifier.DeletedUser(),
		}
		shown := map[string]notifier.Ref{senderText(text, user("shop"), nil): user("shop")}
		for _, r := range others {
			// A user's name may equal the text that a page shows for another sender.
			for _, each := range []notifier.Ref{r, user(senderText(text, r, nil))} {
				if r == notifier.DeletedUser() && each != r {
					continue // texts that contain no name
				}
				s := senderText(text, each, nil)
				if was, twice := shown[s]; twice {
					t.Errorf("in %s both %#v and %#v are shown as %q", lang, was, each, s)
				}
				shown[s] = each
			}
		}
	}
}
