package instance

import (
	"testing"

	"github.com/carillonhq/carillon/views/locale"
)

func TestAPushSaysWhichAppHasSentItsNotice(t *testing.T) {
	t.Parallel()
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	text := texts.For("en", "")
	for want, got := range map[string]string{
		"Sent by shop\nIt is late.": withSender(text, "It is late.", "shop"), "Sent by shop": withSender(text, "", "shop"), "It is late.": withSender(text, "It is late.", ""),
		"shop: Order 7": senderBefore("Order 7", "shop"), "Order 7": senderBefore("Order 7", ""),
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
