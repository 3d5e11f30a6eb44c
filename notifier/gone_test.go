package notifier_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestAScoreSaysHowANoticeLeft(t *testing.T) {
	t.Parallel()
	for _, retracted := range []bool{false, true} {
		for _, crowded := range []bool{false, true} {
			for _, left := range []notifier.Left{{}, {Read: true}, {Unread: true}} {
				left.Retracted, left.Crowded = retracted, crowded
				if got := notifier.LeftBy(notifier.GoneScore(1_800_000_000_123, left)); got != left {
					t.Errorf("%+v; want %+v", got, left)
				}
			}
		}
	}
}
