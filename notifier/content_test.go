package notifier_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

func TestEncodedContentHasAFixedFieldOrderAndMilliseconds(t *testing.T) {
	t.Parallel()
	tokyo := time.FixedZone("", 9*60*60)
	got, err := notifier.EncodeContent(notifier.Content{
		Type: "like", Title: "a\r\nb\u2028c", Link: "/x", Reason: "user",
		CreatedAt: time.Date(2026, 7, 1, 9, 0, 0, 500e6, tokyo),
	})
	want := `{"type":"like","title":"a\r\nb\u2028c","body":"","link":"/x","created_at":"2026-07-01T00:00:00.500Z","reason":"user"}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want\n%s", got, err, want)
	}
}
