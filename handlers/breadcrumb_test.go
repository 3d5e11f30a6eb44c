package handlers_test

import (
	"net/http"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestInnerStaffPagesSayWhereTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.sender.progress = func(id int64) (notifier.Progress, error) {
			return notifier.Progress{Notice: notice(id, notifier.StateSent), Counted: true}, nil
		}
	})
	r := w.get("carol", "/staff/notices/5/edit").wantStatus(t, http.StatusOK)
	between := r.page.Find("[data-testid=breadcrumb] a").Eq(1)
	if got := [2]string{between.Text(), between.AttrOr("href", "")}; got != [2]string{r.attr("#title", "value"), "/staff/notices/5"} || got[0] == "" {
		t.Errorf("the form of an edit stands below %q", got)
	}
	for address, want := range map[string][2]string{
		"/staff/notices/5":    {"Sent", "/staff/notices"},
		"/staff/roles/staff":  {"Groups", "/staff/roles"},
		"/staff/types?type=":  {"Categories", "/staff/types"},
		"/staff/notices/5?a=": {"Sent", "/staff/notices"},
	} {
		r := w.get("carol", address).wantStatus(t, http.StatusOK)
		if got := [2]string{r.text("[data-testid=breadcrumb] a"), r.attr("[data-testid=breadcrumb] a", "href")}; got != want {
			t.Errorf("%s leads to %q, want %q", address, got, want)
		}
		if got := r.text("[data-testid=breadcrumb] [aria-current=page]"); got == "" || got != r.text("h1") {
			t.Errorf("%s is %q in its breadcrumb", address, got)
		}
	}
}
