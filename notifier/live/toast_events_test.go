package live

import (
	"regexp"
	"slices"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestToastsWithoutANoticeAreSummarizedLast(t *testing.T) {
	t.Parallel()
	var toasts []toastData
	for _, of := range []struct {
		id     string
		notice int64
	}{{"1-0", 0}, {"2-0", 12}, {"3-0", 13}, {"4-0", 14}, {"5-0", 15}} {
		shows, ok := readToast(&notifier.Toast{ID: of.id, NoticeID: of.notice, Content: []byte(`{"title":"x"}`)})
		if !ok {
			t.Fatalf("toast %s cannot be read", of.id)
		}
		toasts = append(toasts, shows)
	}
	var ids []string
	for _, found := range regexp.MustCompile(`"id":"([^"]*)"`).FindAllSubmatch(appendToasts(nil, 1, toasts, ""), -1) {
		ids = append(ids, string(found[1]))
	}
	if want := []string{"4-0", "5-0", "1-0", "2-0,3-0"}; !slices.Equal(ids, want) {
		t.Errorf("toasts %q, want %q", ids, want)
	}
}
