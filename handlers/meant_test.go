package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnUnknownNameSuggestsTheNearestOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.haveUsers("Dorothea", "picker17", "picker71", "山田太郎", strings.Repeat("b", 200))
	suggestions := map[string]string{
		"bobb": "Did you mean: bob", "bbo": "Did you mean: bob", "dorotea": "Did you mean: Dorothea", "picker177": "Did you mean: picker17", "山田次郎": "Did you mean: 山田太郎",
		"bobb, zzz, carrol, bob2": "Did you mean: bob carol", "zzz": "", "b": "", "": "", strings.Repeat("b", 190): "",
	}
	says := func(unknown string) {
		w.sender.count = func(notifier.Draft) (int64, error) {
			var bad notifier.InvalidError
			bad.Add("to", notifier.CodeUnknownUsers, map[string]any{"Names": unknown, "Count": 1})
			return 0, &bad
		}
	}
	for unknown, want := range suggestions {
		says(unknown)
		r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.text("#to-meant"); got != want || r.count("#to-meant button") != 0 {
			t.Errorf("%.20q: %q, want %q", unknown, got, want)
		}
		if live := w.live(nil, goodForm...); (live.count("#to-meant button[data-typed]") > 0) != (want != "") {
			t.Errorf("%.20q: a script gets %.300s", unknown, live.body)
		}
	}
	w.closeSQL()
	for unknown := range suggestions {
		says(unknown)
		if got := w.post("carol", "/staff/send", goodForm...).text("#to-meant"); got != "" {
			t.Errorf("%.20q: %q without the directory", unknown, got)
		}
	}
}
