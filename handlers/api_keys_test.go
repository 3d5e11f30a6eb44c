package handlers_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestAKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.post("carol", "/staff/keys", "name", " shop <b> ", "scope", "send").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=new-key]", "ck_secret")
	r.wantText(t, "[data-testid=made] h2", "The key of shop <b>")
	if r.Header.Get("Cache-Control") != "no-store" || strings.Count(r.body, "ck_secret") != 1 || r.count("[data-testid=key]") != 1 {
		t.Errorf("it stands %d times, with %q", strings.Count(r.body, "ck_secret"), r.Header.Get("Cache-Control"))
	}
	o.postBody("carol", "/staff/keys", "action=add&name=shop&scope=send&scope=admin&scope=send").wantStatus(t, http.StatusOK)
	want := []notifier.APIKey{
		{ID: 2, Name: "shop", Scopes: []notifier.KeyScope{"admin", "send"}, CreatedAt: noon}, {ID: 1, Name: "shop <b>", Scopes: []notifier.KeyScope{"send"}, CreatedAt: noon},
	}
	if diff := cmp.Diff(want, o.keys.all); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"hash", "hash"}, o.keys.hashes); diff != "" {
		t.Error(diff)
	}
	if again := o.get("carol", "/staff/keys"); strings.Contains(again.body+o.log.String()+fmt.Sprint(o.audit.entries), "ck_secret") {
		t.Error("the key is kept somewhere")
	}
	if diff := cmp.Diff([]string{"carol key.add key 1 shop <b> send", "carol key.add key 2 shop admin,send"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestAKeyIsShownEvenWhenTheListIsAway(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.keys.listErr = errors.New("sql is away")
	o.post("carol", "/staff/keys", "name", "shop", "scope", "read").wantStatus(t, http.StatusOK).wantText(t, "[data-testid=new-key]", "ck_secret")
}

func TestAWrongKeyIsNotMade(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for body, want := range map[string][2]string{
		"":                                 {"Please fill this in.", "Choose at least one."},
		"name=a%E2%80%AEb&scope=read":      {"a\ufffdb cannot be a name.", ""},
		"name=shop&scope=all":              {"", "A key cannot be allowed all."},
		"name=shop":                        {"", "Choose at least one."},
		"name=shop&name=two&scope=read":    {"", ""},
		"name=shop&scope=read&else=1":      {"", ""},
		"action=else&name=shop&scope=read": {"", ""},
	} {
		r := o.postBody("carol", "/staff/keys", body).wantStatus(t, http.StatusUnprocessableEntity)
		if r.text("#name-fault") != want[0] || r.text("#scope-fault") != want[1] || r.count(".adding[open]") != 1 {
			t.Errorf("%s: it says %q and %q", body, r.text("#name-fault"), r.text("#scope-fault"))
		}
		if strings.HasSuffix(body, "scope=read") && r.count("[name=scope][checked]") != 1 {
			t.Errorf("%s: what was chosen is lost", body)
		}
	}
	if len(o.keys.all) != 0 || len(o.done()) != 0 {
		t.Errorf("there are %v", o.keys.all)
	}
}

func TestRevokingAKeyIsAskedForAndDoneOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.keys.all = []notifier.APIKey{{ID: 2, Name: "shop <b>", Scopes: notifier.KeyScopes(), CreatedAt: noon, UsedAt: noon.Add(-time.Hour)}}
	r := o.get("carol", "/staff/keys")
	r.wantText(t, "[data-testid=key]", "shop <b> Key 2SendReadAdministerToday 12:00Today 11:00Revoke")
	r = o.get("carol", r.attr("[data-testid=key] .act a", "href")).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=revoke] h2", "Revoke key 2 of shop <b>?")
	o.submit("carol", r, "[data-testid=revoke] form").wantRedirect(t, "/staff/keys?done=key-revoked")
	r = o.get("carol", "/staff/keys?done=key-revoked")
	r.wantText(t, "[data-testid=key] .act", "Revoked: Today 12:00")
	for _, id := range []string{"2", "3", "-1", "x"} {
		o.get("carol", "/staff/keys?revoke="+id).wantStatus(t, map[bool]int{true: http.StatusNotFound, false: http.StatusOK}[number(id)])
	}
	o.post("carol", "/staff/keys", "action", "revoke", "id", "3").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff([]string{"carol key.revoke key 2 shop <b>"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func number(s string) bool { return strings.Trim(s, "0123456789") == "" }

func TestKeysComeInPagesAndInOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n := range 120 {
		o.keys.all = append(o.keys.all, notifier.APIKey{ID: int64(120 - n), Name: fmt.Sprintf("App %03d", n), CreatedAt: noon})
	}
	for address, want := range map[string]struct {
		first string
		rows  int
		next  string
	}{
		"":               {"App 000", 50, "?from=50"},
		"?from=50":       {"App 050", 50, "?from=100"},
		"?from=100":      {"App 100", 20, ""},
		"?from=9999":     {"", 0, ""},
		"?from=-1":       {"App 000", 50, "?from=50"},
		"?sort=time":     {"App 119", 50, "?from=50&sort=time"},
		"?sort=name":     {"App 000", 50, "?from=50&sort=name"},
		"?q=app+11":      {"App 110", 10, ""},
		"?sort=-time&q=": {"App 000", 50, "?from=50"},
	} {
		r := o.get("carol", "/staff/keys"+address).wantStatus(t, http.StatusOK)
		got := r.page.Find("[data-testid=key] th span[dir]").First().Text()
		if got != want.first || r.count("[data-testid=key]") != want.rows || strings.TrimPrefix(r.attr("a[rel=next]", "href"), "/staff/keys") != want.next {
			t.Errorf("%s: %d from %q, then %q", address, r.count("[data-testid=key]"), got, r.attr("a[rel=next]", "href"))
		}
	}
}
