package handlers_test

import (
	"strconv"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestTheStaffPageOfANoticeTellsWhyAUserDidNotGetIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d := notifier.Draft{Target: notifier.Target{Users: []string{"alice"}}, Type: "message", Title: "Hello", Sender: notifier.UserRef(carol)}
	results := w.notices.SendAll(t.Context(), byStaff, []notifier.Request{{Draft: d}})
	if results[0].Err != nil {
		t.Fatal(results[0].Err)
	}
	n := results[0].Notice
	w.sender.progress = func(int64) (notifier.Progress, error) { return notifier.Progress{Notice: n}, nil }
	path := "/staff/notices/" + strconv.FormatInt(n.ID, 10)
	page := w.get("carol", path)
	if page.count("#why") != 1 || page.count("#why[open]") != 0 || page.count("[data-testid=why-answer]") != 0 {
		t.Error("the question is not folded away")
	}
	if action := page.attr("#why form[method=get]", "action"); action != path {
		t.Errorf("the form leads to %q", action)
	}
	for language, sentence := range map[string]string{
		"en": "bob did not get it: it names other users.", "ja": "bobさんには届いていません。ほかのユーザー宛てです。", "zh-Hans": "bob 没有收到：它指名发给其他用户。",
		"zh-Hant": "bob 沒有收到：這則通知指名傳送給其他使用者。",
	} {
		page := w.get("carol", path+"?user=+bob", "Accept-Language", language)
		page.wantText(t, "[data-testid=why-answer]", sentence)
		if page.count("#why[open]") != 1 {
			t.Errorf("%s: the answer is folded away", language)
		}
	}
	unknown := w.get("carol", path+"?user=nobody")
	unknown.wantText(t, "#user-fault", "There is no user with this name.")
}
