package handlers_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// TestTextPastedFromASpreadsheetIsSent sends the characters that Excel, PowerPoint and Word put between cells and
// lines.
func TestTextPastedFromASpreadsheetIsSent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*world) {})
	var sent notifier.Draft
	w.sender.send = func(d notifier.Draft) (notifier.Notice, error) {
		sent = d
		return notifier.Notice{ID: 7, Draft: d}, d.Validate(notifier.Limits{})
	}
	w.post("carol", "/staff/send", "target", "user", "to", "Bob\tcarol", "type", "order\t", "subject", "order:42\t",
		"title", "Order\t4187 is\vlate", "body", "Order\tDate\r\n4187\t2 May\vSee below\fEnd\u2028Really\rnow", "link", "/orders/42\t").
		wantRedirect(t, "/staff/notices/7")
	want := notifier.Draft{
		Target: notifier.Target{Users: []string{"bob", "carol"}}, Type: "order ", Subject: "order:42 ", Title: "Order 4187 is late",
		Body: "Order Date\r\n4187 2 May\nSee below\nEnd\nReally\nnow", Link: "/orders/42 ", Sender: sent.Sender,
	}
	if diff := cmp.Diff(want, sent); diff != "" {
		t.Error(diff)
	}
}

func TestNamesThatDifferOnlyInCaseAreAskedAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*world) {})
	w.sender.send = func(notifier.Draft) (notifier.Notice, error) {
		t.Error("the notice was sent")
		return notifier.Notice{}, nil
	}
	w.haveUsers("BOB")
	w.post("carol", "/staff/send", "target", "user", "to", "Bob", "type", "order", "title", "Late").wantStatus(t, http.StatusUnprocessableEntity).
		wantText(t, "#to-fault", "Bob could be several people. Did you mean BOB, bob?")
}
