package handlers_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestNamesAreSuggestedWhileTyping(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.called("alice", "Alice Ñ")
	if _, err := w.db.CreateUser(t.Context(), notifier.NewUser{Name: `</script>"ali`, Audience: 1}); err != nil {
		t.Fatal(err)
	}
	w.haveMembers("picker", "bob")
	w.haveCrowd("many", 1500, 2, "night picker")
	for _, test := range []struct{ address, lang, want string }{
		{"?q=ali&target=user", "en", `{"names":[{"name":"alice","note":"Alice Ñ · Customer"},{"name":"\u003c/script\u003e\"ali","note":"Operator"}]}`},
		{"?q=+ali+", "ja", `{"names":[{"name":"alice","note":"Alice Ñ · 顧客"},{"name":"\u003c/script\u003e\"ali","note":"オペレーター"}]}`},
		{"?q=PICK&target=role", "en", `{"names":[{"name":"picker","note":"1 person"},{"name":"night picker","note":"1,500 people"}]}`},
		{"?target=role", "zh", `{"names":[{"name":"night picker","note":"1,500 人"},{"name":"picker","note":"1 人"},{"name":"staff","note":"1 人"}]}`},
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
	if r := w.get("carol", "/staff/names?q=many"); strings.Count(r.body, `"name":"many`) != 8 {
		t.Errorf("of many names it has %s", r.body)
	}
}

func TestNamesAreForStaffOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.closeSQL()
	w.get("alice", "/staff/names?q=a").wantStatus(t, http.StatusNotFound)
	w.get("", "/staff/names?q=a").wantStatus(t, http.StatusSeeOther)
	if r := w.get("carol", "/staff/names?q=a").wantStatus(t, http.StatusServiceUnavailable); strings.Contains(r.body, "sql") {
		t.Error("the response shows an internal error")
	}
}
