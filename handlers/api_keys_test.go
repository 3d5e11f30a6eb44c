package handlers_test

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

func TestNewKeyIsShownOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	posted := o.post("carol", "/staff/keys", "name", " shop <b> ", "scope", "send")
	posted.wantRedirect(t, "/staff/keys")
	r := o.get("carol", "/staff/keys").wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=new-key]", "ck_secret1")
	r.wantText(t, "[data-testid=made] h2", "Key of shop <b>")
	if r.Header.Get("Cache-Control") != "no-store" || strings.Count(r.body, "ck_secret") != 1 || r.count("[data-testid=key]") != 1 {
		t.Errorf("the key occurs %d times, Cache-Control %q", strings.Count(r.body, "ck_secret"), r.Header.Get("Cache-Control"))
	}
	o.postBody("carol", "/staff/keys", "action=add&name=shop&scope=send&scope=admin&scope=send").wantRedirect(t, "/staff/keys")
	want := []notifier.APIKey{
		{ID: 2, Name: "shop", Scopes: []notifier.KeyScope{"send", "admin"}, CreatedAt: noon}, {ID: 1, Name: "shop <b>", Scopes: []notifier.KeyScope{"send"}, CreatedAt: noon},
	}
	if diff := cmp.Diff(want, o.allKeys()); diff != "" {
		t.Error(diff)
	}
	for _, key := range []string{"ck_secret1", "ck_secret2"} {
		hash := sha256.Sum256([]byte(key))
		if _, err := o.db.KeyByHash(t.Context(), hash[:]); err != nil {
			t.Errorf("%s: %v", key, err)
		}
	}
	o.get("carol", "/staff/keys")
	if again := o.get("carol", "/staff/keys"); strings.Contains(posted.body+again.body+o.log.String()+fmt.Sprint(o.done()), "ck_secret") {
		t.Error("the key is stored somewhere")
	}
	if diff := cmp.Diff([]string{"carol key.add key shop <b> 1 send", "carol key.add key shop 2 send,admin"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

// TestResubmittedFormMakesNoSecondKey resubmits a form as a reload or a double click does, and then with another
// name, as Back allows.
func TestResubmittedFormMakesNoSecondKey(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	once := o.get("carol", "/staff/keys").attr("[data-testid=key-form] [name=once]", "value")
	form := []string{"action", "add", "once", once, "name", "shop", "scope", "send"}
	o.post("carol", "/staff/keys", form...).wantRedirect(t, "/staff/keys")
	for range 2 {
		o.post("carol", "/staff/keys", form...).wantRedirect(t, "/staff/keys?done=key-known")
	}
	o.get("carol", "/staff/keys?done=key-known").wantText(t, "#done p", "This key has already been created. If you didn't see it, revoke it and create another.")
	if len(o.allKeys()) != 1 || len(o.done()) != 1 {
		t.Fatalf("%d keys exist; audit log %v", len(o.allKeys()), o.done())
	}
	if next := o.get("carol", "/staff/keys").attr("[data-testid=key-form] [name=once]", "value"); next == once || len(next) != 22 {
		t.Errorf("the next form has token %q after %q", next, once)
	}
	form[5] = "billing"
	o.post("carol", "/staff/keys", form...).wantRedirect(t, "/staff/keys")
	r := o.post("carol", "/staff/keys", "once", once, "name", "shop").wantStatus(t, http.StatusUnprocessableEntity)
	if got := r.attr("[data-testid=key-form] [name=once]", "value"); got != once {
		t.Errorf("after an error the form has token %q, want %q", got, once)
	}
	if len(o.allKeys()) != 2 {
		t.Errorf("%d keys exist", len(o.allKeys()))
	}
}

// TestScriptLoadsThePageOfANewKeyItself: on a redirect, fetch would load the page with the key, and the browser would
// then load one without it.
func TestScriptLoadsThePageOfANewKeyItself(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	r := o.postBody("carol", "/staff/keys", "name=shop&scope=send", "Carillon-Form", "1").wantStatus(t, http.StatusNoContent)
	if to := r.Header.Get("Location"); to != "/staff/keys" || r.body != "" {
		t.Errorf("the form leads to %q with body %q", to, r.body)
	}
	o.get("carol", "/staff/keys").wantText(t, "[data-testid=new-key]", "ck_secret1")
	r = o.postBody("", "/staff/keys", "name=shop&scope=send", "Carillon-Form", "1").wantStatus(t, http.StatusNoContent)
	if to := r.Header.Get("Location"); to != "/login?next=%2Fstaff%2Fkeys" {
		t.Errorf("signed out, the form leads to %q", to)
	}
	o.postBody("carol", "/staff/keys", "name=&scope=send", "Carillon-Form", "1").wantStatus(t, http.StatusUnprocessableEntity)
}

func TestNewKeyIsShownEvenIfTheListFails(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post("carol", "/staff/keys", "name", "shop", "scope", "read").wantRedirect(t, "/staff/keys")
	o.closeSQL()
	o.get("carol", "/staff/keys").wantStatus(t, http.StatusOK).wantText(t, "[data-testid=new-key]", "ck_secret1")
	o.get("carol", "/staff/keys").wantStatus(t, http.StatusServiceUnavailable)
}

func TestInvalidKeyIsNotCreated(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for body, want := range map[string][2]string{
		"":                                 {"Required.", "Choose at least one."},
		"name=a%E2%80%AEb&scope=read":      {"“a\ufffdb” isn't a valid name.", ""},
		"name=shop&scope=all":              {"", "Unknown permission: all. The permissions are send, read, admin."},
		"name=shop":                        {"", "Choose at least one."},
		"name=shop&name=two&scope=read":    {"", ""},
		"name=shop&scope=read&else=1":      {"", ""},
		"action=else&name=shop&scope=read": {"", ""},
	} {
		r := o.postBody("carol", "/staff/keys", body).wantStatus(t, http.StatusUnprocessableEntity)
		if r.text("#name-fault") != want[0] || r.text("#scope-fault") != want[1] || r.count(".adding[open]") != 1 {
			t.Errorf("%s: the faults are %q and %q", body, r.text("#name-fault"), r.text("#scope-fault"))
		}
		if strings.HasSuffix(body, "scope=read") && r.count("[name=scope][checked]") != 1 {
			t.Errorf("%s: the choices are lost", body)
		}
	}
	if len(o.allKeys()) != 0 || len(o.done()) != 0 {
		t.Errorf("keys exist: %v", o.allKeys())
	}
}

func TestRevokingAKeyIsConfirmedAndHappensOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, name := range []string{"gone", "shop <b>"} {
		_, hash := o.newKey()
		if _, err := o.db.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: name, Scopes: notifier.KeyScopes()}, hash); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.db.TouchKeys(t.Context(), map[int64]time.Time{2: noon.Add(-time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.db.RevokeKey(t.Context(), notifier.Actor{}, 1); err != nil {
		t.Fatal(err)
	}
	r := o.get("carol", "/staff/keys")
	r.wantText(t, "[data-testid=key]:first-child", "shop <b> Key 2SendReadAdminToday 12:00Today 11:00 Revoke")
	r = o.get("carol", r.attr("[data-testid=key] .act a", "href")).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=revoke] h2", "Revoke key 2 of shop <b>?")
	o.submit("carol", r, "[data-testid=revoke] form").wantRedirect(t, "/staff/keys?done=key-revoked")
	r = o.get("carol", "/staff/keys?done=key-revoked")
	r.wantText(t, "[data-testid=key]:first-child .act", "Revoked: Today 12:00")
	for _, id := range []string{"2", "3", "-1", "x"} {
		o.get("carol", "/staff/keys?revoke="+id).wantStatus(t, map[bool]int{true: http.StatusNotFound, false: http.StatusOK}[number(id)])
	}
	o.post("carol", "/staff/keys", "action", "revoke", "id", "3").wantStatus(t, http.StatusNotFound)
	if diff := cmp.Diff([]string{"carol key.revoke key shop <b> 2 send,read,admin"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func number(s string) bool { return strings.Trim(s, "0123456789") == "" }

func TestKeysAreListedInPagesAndInOrder(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for n := range 120 {
		_, hash := o.newKey()
		if _, err := o.db.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: fmt.Sprintf("App %03d", 119-n), Scopes: notifier.KeyScopes()}, hash); err != nil {
			t.Fatal(err)
		}
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
