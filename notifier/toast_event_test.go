package notifier_test

import (
	"slices"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestToastsWithoutANoticeAreSummarizedLast(t *testing.T) {
	t.Parallel()
	var toasts []notifier.ToastEvent
	for _, of := range []struct {
		id     string
		notice int64
	}{{"1-0", 0}, {"2-0", 12}, {"3-0", 13}, {"4-0", 14}, {"5-0", 15}} {
		shows, ok := notifier.NewToastEvent(&notifier.Toast{ID: of.id, NoticeID: of.notice, Content: []byte(`{"title":"x"}`)}, notifier.NamedApp)
		if !ok {
			t.Fatalf("toast %s cannot be read", of.id)
		}
		toasts = append(toasts, shows)
	}
	var ids []string
	for _, e := range notifier.ToastsTogether(toasts, "") {
		ids = append(ids, e.ID)
	}
	if want := []string{"4-0", "5-0", "1-0", "2-0,3-0"}; !slices.Equal(ids, want) {
		t.Errorf("toasts %q, want %q", ids, want)
	}
}
