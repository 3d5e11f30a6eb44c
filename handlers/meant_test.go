package handlers_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestAnUnknownNameSuggestsTheNearestOne(t *testing.T) {
	t.Parallel()
	all := []string{"bob", "Carol", "picker17", "picker71", "山田太郎", strings.Repeat("b", 200)}
	away := false
	w := newWorld(t, func(w *world) {
		w.directory.findUsers = func(part string, limit int) (found []notifier.User, _ error) {
			if away {
				return nil, errors.New("away")
			}
			for _, name := range all {
				if strings.Contains(strings.ToLower(name), part) && len(found) < limit {
					found = append(found, notifier.User{Name: name})
				}
			}
			return found, nil
		}
	})
	for unknown, want := range map[string]string{
		"bobb": "Did you mean: bob", "bbo": "Did you mean: bob", "carl": "Did you mean: Carol", "picker177": "Did you mean: picker17", "山田次郎": "Did you mean: 山田太郎",
		"bobb, zzz, carrol, bob2": "Did you mean: bob Carol", "zzz": "", "b": "", "": "", strings.Repeat("b", 190): "",
	} {
		w.sender.count = func(notifier.Draft) (int64, error) {
			var bad notifier.InvalidError
			bad.Add("to", notifier.CodeUnknownUsers, map[string]any{"Names": unknown, "Count": 1})
			return 0, &bad
		}
		r := w.post("carol", "/staff/send", goodForm...).wantStatus(t, http.StatusUnprocessableEntity)
		if got := r.text("#to-meant"); got != want || r.count("#to-meant button") != 0 {
			t.Errorf("%.20q: %q, want %q", unknown, got, want)
		}
		if live := w.live(nil, goodForm...); (live.count("#to-meant button[data-typed]") > 0) != (want != "") {
			t.Errorf("%.20q: a script gets %.300s", unknown, live.body)
		}
		away = true
		if got := w.post("carol", "/staff/send", goodForm...).text("#to-meant"); got != "" {
			t.Errorf("%.20q: %q without the directory", unknown, got)
		}
		away = false
	}
}
