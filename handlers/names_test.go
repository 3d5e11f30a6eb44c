package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestNamesAreSuggestedWhileTyping(t *testing.T) {
	t.Parallel()
	var asked []string
	w := newWorld(t, func(w *world) {
		w.directory.findUsers = func(part string, limit int) ([]notifier.User, error) {
			asked = append(asked, fmt.Sprintf("user %q %d", part, limit))
			if part == "zzz" {
				return nil, nil
			}
			return []notifier.User{{Name: "alice", Display: "Alice Ñ", Audience: 3}, {Name: `</script>"ali`, Audience: 1}}, nil
		}
		w.directory.findRoles = func(part string, limit int) ([]notifier.RoleInfo, error) {
			asked = append(asked, fmt.Sprintf("role %q %d", part, limit))
			return []notifier.RoleInfo{{Name: "picker", Members: 1}, {Name: "night", Members: 1500}}, nil
		}
	})
	for _, test := range []struct{ address, lang, want string }{
		{"?q=ali&target=user", "en", `{"names":[{"name":"alice","note":"Alice Ñ · Customer"},{"name":"\u003c/script\u003e\"ali","note":"Operator"}]}`},
		{"?q=+ali+", "ja", `{"names":[{"name":"alice","note":"Alice Ñ · 顧客"},{"name":"\u003c/script\u003e\"ali","note":"オペレーター"}]}`},
		{"?q=ali&target=role", "en", `{"names":[{"name":"picker","note":"1 person"},{"name":"night","note":"1,500 people"}]}`},
		{"?target=role", "zh", `{"names":[{"name":"picker","note":"1 人"},{"name":"night","note":"1,500 人"}]}`},
		{"?q=zzz", "en", `{"names":[]}`},
		{"?q=" + strings.Repeat("long", 51), "en", `{"names":[]}`},
	} {
		r := w.get("carol", "/staff/names"+test.address, "Accept-Language", test.lang).wantStatus(t, http.StatusOK)
		if diff := cmp.Diff(test.want+"\n", r.body); diff != "" {
			t.Errorf("%s: %s", test.address, diff)
		}
		if r.Header.Get("Cache-Control") != "no-store" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("the headers are %v", r.Header)
		}
	}
	want := []string{`user "ali" 8`, `user "ali" 8`, `role "ali" 8`, `role "" 8`, `user "zzz" 8`}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAreForStaffOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.directory.findUsers = func(string, int) ([]notifier.User, error) {
			return nil, fmt.Errorf("secret: %w", notifier.ErrUnavailable)
		}
	})
	w.get("alice", "/staff/names?q=a").wantStatus(t, http.StatusNotFound)
	w.get("", "/staff/names?q=a").wantStatus(t, http.StatusSeeOther)
	if r := w.get("carol", "/staff/names?q=a").wantStatus(t, http.StatusServiceUnavailable); strings.Contains(r.body, "secret") {
		t.Error("the response shows an internal error")
	}
}
