package handlers_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/snippets"
)

const publicKey = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmac89rWBGEuviUQvSyJQINWFRo77
0XQb9geIYjMr+M5op0M7ZIm5tV3WsfNhZcAvsz6BRebDTruutJy4nDRnKQ==
-----END PUBLIC KEY-----`

func TestKeysOfANewAppAreShownOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	posted := o.post("carol", "/staff/apps", "action", "add", "name", " shop <b> ", "origins", "https://Shop.example.com https://b.example.com",
		"audience", "customer", "roles", "picker, night shift,vip", "max_life", "4h0m0s", "key", "secret", "public_key", "typed before the choice", "jwks", "http://x", "issuer", "i")
	posted.wantRedirect(t, "/staff/apps/1")
	r := o.get("carol", "/staff/apps/1").wantStatus(t, http.StatusOK)
	r.wantText(t, "h1", "shop <b>")
	r.wantText(t, "[data-testid=api-key]", "CARILLON_API_KEY=ck_secret1")
	secret := r.text("[data-testid=token-key]")
	if !strings.HasPrefix(secret, "CARILLON_TOKEN_KEY=tk_1.") {
		t.Errorf("the key of tokens is %q", secret)
	}
	secret = strings.TrimPrefix(secret, "CARILLON_TOKEN_KEY=tk_1.")
	if r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("Cache-Control is %q", r.Header.Get("Cache-Control"))
	}
	want := []notifier.App{{
		ID: 1, Name: "shop <b>", Origins: []string{"https://shop.example.com", "https://b.example.com"}, Audience: 3,
		Roles: []string{"night shift", "picker", "vip"}, MaxLife: 4 * time.Hour, CreatedAt: noon,
	}}
	if all, _ := o.allApps(); !cmp.Equal(want, all) {
		t.Error(cmp.Diff(want, all))
	}
	r.wantText(t, "[data-testid=made] h2", "Save these keys now")
	again := o.get("carol", "/staff/apps/1")
	all := posted.body + again.body + o.get("carol", "/staff/apps").body + o.log.String() + fmt.Sprint(o.done())
	if strings.Contains(all, "ck_secret") || secret == "" || strings.Contains(all, secret) || again.count("[data-testid=made]") != 0 {
		t.Error("the keys are shown again, or logged")
	}
	if diff := cmp.Diff([]string{"carol app.add app shop <b>"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestPageOfAnAppHasSnippetsForItsStack(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{Name: "old", Audience: 2})
	if _, err := o.apps.Add(t.Context(), byStaff, notifier.App{Name: "new", Audience: 2, MaxLife: time.Hour}, []byte(publicKey)); err != nil {
		t.Fatal(err)
	}
	r := o.get("carol", "/staff/apps/1")
	for _, stack := range snippets.Stacks() {
		want, err := snippets.Endpoint(stack.Slug, snippets.SharedSecret)
		if got := r.page.Find("#endpoint-" + stack.Slug).Text(); err != nil || got != want {
			t.Errorf("%s: %q, %v", stack.Name, got, err)
		}
	}
	if !strings.Contains(r.text("#html"), `src="http://example.com/embed/v1.js"`) {
		t.Errorf("the HTML is %q", r.text("#html"))
	}
	if r = o.get("carol", "/staff/apps/2"); r.count("[data-testid=snippets] details") != 0 || r.count("#html") != 1 {
		t.Error("an app with a key of its own has snippets for a shared secret")
	}
	o.config.PublicURL = "https://bell.example.org"
	o.rebuild()
	if r = o.get("carol", "/staff/apps/2"); !strings.Contains(r.text("#html"), `src="https://bell.example.org/embed/v1.js"`) {
		t.Errorf("the HTML is %q", r.text("#html"))
	}
}

func TestNewAppWithKeysOfItsOwn(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	rest := []string{"audience", "user", "max_life", "1h0m0s"}
	o.post("carol", "/staff/apps", append(rest, "name", "a", "key", "public", "public_key", "PEM\r\nPEM", "issuer", "https://a")...).wantStatus(t, http.StatusUnprocessableEntity)
	o.post("carol", "/staff/apps", append(rest, "name", "a", "key", "public", "public_key", " "+strings.ReplaceAll(publicKey, "\n", "\r\n")+" ", "issuer", "https://a")...).wantRedirect(t, "/staff/apps/1")
	o.get("carol", "/staff/apps/1").wantText(t, "[data-testid=token-key]", "CARILLON_TOKEN_KEY=tk_1")
	o.post("carol", "/staff/apps", append(rest, "name", "b", "key", "jwks", "jwks", "https://b/keys", "issuer", "https://b")...).wantRedirect(t, "/staff/apps/2")
	r := o.get("carol", "/staff/apps/2")
	r.wantText(t, "[data-testid=api-key]", "CARILLON_API_KEY=ck_secret2")
	if r.count("[data-testid=token-key], [data-testid=app-key], [data-testid=rotate-form]") != 0 || !strings.Contains(r.text(".facts"), "https://b/keys") {
		t.Errorf("the page of an app with a JWKS has %q", r.text("main"))
	}
	if all, keys := o.allApps(); all[0].Issuer != "https://b" || all[1].Issuer != "https://a" || keys[0].Alg != notifier.AlgES256 {
		t.Errorf("the apps are %+v with %+v", all, keys)
	}
}

func TestInvalidAppIsNotAdded(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{Name: "shop", JWKS: "https://k", Issuer: "https://i", Audience: 2})
	for body, want := range map[string]string{
		"audience=user&max_life=1h":                                                                               "name: Required.",
		"name=a&audience=user":                                                                                    "max_life: Choose between 1 minute and 24 hours.",
		"name=a&audience=nobody&max_life=1h":                                                                      "audience: 0 does not exist.",
		"name=a&audience=user&max_life=1h&origins=x":                                                              "origins: “x” isn't an origin. Use scheme and host only, such as https://shop.example.com.",
		"name=a&audience=user&max_life=1h&roles=picker,staff":                                                     "roles: Tokens can't give the group staff.",
		"name=a&audience=user&max_life=1h&key=public":                                                             "public_key: Required.",
		"name=a&audience=user&max_life=1h&key=public&public_key=x":                                                "public_key: This isn't a public key: PEM, P-256, Ed25519 or RSA with 2,048 to 8,192 bits.",
		"name=a&audience=user&max_life=1h&key=jwks":                                                               "jwks: Required. issuer: Keys at an address need an issuer.",
		"name=a&audience=user&max_life=1h&key=jwks&jwks=http://x":                                                 "jwks: Enter an https address. issuer: Keys at an address need an issuer.",
		"name=a&audience=user&max_life=1h&key=jwks&jwks=https://x&issuer=https://i":                               "issuer: Another app already has this issuer.",
		"name=shop&audience=user&max_life=1h&roles=a&origins=https://o&key=secret":                                "name: The app shop already exists.",
		"name=a&audience=user&max_life=1h&key=other&roles=" + strings.Repeat("r,", 40):                            "key: The form is invalid: a field is unknown or was sent twice.",
		"name=a&audience=user&max_life=1h&roles=" + rolesOf(notifier.MaxAppRoles+1):                               "roles: At most 50.",
		"name=a&audience=user&max_life=1h&origins=" + strings.Repeat("https://a.example+", notifier.MaxOrigins+1): "origins: At most 20.",
	} {
		r := o.postBody("carol", "/staff/apps", body).wantStatus(t, http.StatusUnprocessableEntity)
		var got []string
		for _, p := range r.page.Find("#app .fault").EachIter() {
			got = append(got, p.AttrOr("data-field", "")+": "+p.Text())
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" || r.count(".adding[open]") != 1 {
			t.Errorf("%s: %s", body, diff)
		}
	}
	if all, _ := o.allApps(); len(all) != 1 || len(o.done()) != 0 {
		t.Errorf("apps were added: %v", o.done())
	}
	r := o.postBody("carol", "/staff/apps", "name=&audience=customer&max_life=4h0m0s&key=jwks&roles=a,b&origins=https://o&jwks=https://j&issuer=i")
	got := []string{
		r.attr("#app [name=audience] [selected]", "value"), r.attr("#app [name=max_life] [selected]", "value"), r.attr("#app [name=key][checked]", "value"),
		r.attr("#app [name=roles]", "value"), r.attr("#app [name=origins]", "value"), r.attr("#app [name=jwks]", "value"), r.attr("#app [name=issuer]", "value"),
	}
	if diff := cmp.Diff([]string{"customer", "4h0m0s", "jwks", "a,b", "https://o", "https://j", "i"}, got); diff != "" {
		t.Errorf("typed text is lost: %s", diff)
	}
}

// rolesOf returns a list of n roles.
func rolesOf(n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("r", i))
	}
	return strings.Join(names, ",")
}

func TestTheAPIKeyOfAnAppIsReplaced(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{Name: "shop", Audience: 2})
	r := o.get("carol", "/staff/apps/1")
	o.submit("carol", r, "[data-testid=rotate-api-form]").wantRedirect(t, "/staff/apps/1")
	o.submit("carol", r, "[data-testid=rotate-api-form]").wantRedirect(t, "/staff/apps/1?done=app-key-known")
	r = o.get("carol", "/staff/apps/1")
	r.wantText(t, "[data-testid=api-key]", "CARILLON_API_KEY=ck_secret2")
	if keys := o.allKeys(); r.count("[data-testid=token-key]") != 0 || len(keys) != 2 {
		t.Errorf("%d keys, and the page has %q", len(keys), r.text("main"))
	}
	for i := 3; i <= notifier.MaxAppKeys; i++ {
		o.submit("carol", o.get("carol", "/staff/apps/1"), "[data-testid=rotate-api-form]").wantRedirect(t, "/staff/apps/1")
	}
	r = o.submit("carol", o.get("carol", "/staff/apps/1"), "[data-testid=rotate-api-form]").wantStatus(t, http.StatusUnprocessableEntity)
	if want := fmt.Sprintf("At most %d keys. Revoke one first.", notifier.MaxAppKeys); !strings.Contains(r.text("[data-testid=rotate-api-form]"), want) {
		t.Errorf("the form says %q", r.text("[data-testid=rotate-api-form]"))
	}
	if keys := o.allKeys(); len(keys) != notifier.MaxAppKeys {
		t.Errorf("%d keys", len(keys))
	}
}

func TestKeysOfAnAppAreReplaced(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{Name: "shop", Audience: 2})
	r := o.get("carol", "/staff/apps/1")
	o.submit("carol", r, "[data-testid=rotate-form]").wantRedirect(t, "/staff/apps/1")
	o.submit("carol", r, "[data-testid=rotate-form]").wantRedirect(t, "/staff/apps/1?done=app-key-known")
	r = o.get("carol", "/staff/apps/1")
	if got := r.text("[data-testid=token-key]"); !strings.HasPrefix(got, "CARILLON_TOKEN_KEY=tk_2.") {
		t.Errorf("the new key is %q", got)
	}
	if r.count("[data-testid=api-key]") != 0 || r.count("[data-testid=app-key]") != 2 {
		t.Errorf("the page has %q", r.text("main"))
	}
	r = o.get("carol", r.attr("[data-testid=app-key]:last-child .act a", "href")).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=revoke] h2", "Revoke tk_1?")
	r.wantText(t, "[data-testid=revoke] p", "Tokens signed with this key stop working within seconds. This cannot be undone.")
	o.submit("carol", r, "[data-testid=revoke] form").wantRedirect(t, "/staff/apps/1?done=app-key-revoked")
	r = o.get("carol", "/staff/apps/1?revoke=2")
	r.wantText(t, "[data-testid=revoke] p", "This is the app's only key: its users are cut off within seconds, until you add another. This cannot be undone.")
	for _, id := range []string{"1", "3"} {
		o.get("carol", "/staff/apps/1?revoke="+id).wantStatus(t, http.StatusNotFound)
		o.post("carol", "/staff/apps/1", "action", "revoke-key", "key", id).wantStatus(t, http.StatusNotFound)
	}
	r = o.post("carol", "/staff/apps/1", "action", "rotate", "public_key", "no key <").wantStatus(t, http.StatusUnprocessableEntity)
	r.wantText(t, "[name=public_key]", "no key <")
	for range notifier.MaxAppKeys - 1 { // one is revoked
		o.post("carol", "/staff/apps/1", "action", "rotate").wantRedirect(t, "/staff/apps/1")
	}
	o.post("carol", "/staff/apps/1", "action", "rotate").wantStatus(t, http.StatusUnprocessableEntity).wantText(t, "#public_key-fault", "At most 10 keys. Revoke one first.")
	if diff := cmp.Diff([]string{"carol app.rotate app shop tk_2", "carol app.revoke app shop key 1"}, o.done()[:2]); diff != "" {
		t.Error(diff)
	}
}

func TestRevokedAppIsListedAndCannotBeChanged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{Name: "shop", Audience: 2, Origins: []string{"https://shop.example.com"}})
	r := o.get("carol", "/staff/apps")
	r.wantText(t, "[data-testid=app]", "shop https://shop.example.comUsertk_1Today 12:00Active")
	r = o.get("carol", r.attr("[data-testid=app] a", "href"))
	o.submit("carol", r, "[data-testid=revoke-app] form").wantRedirect(t, "/staff/apps?done=app-revoked")
	o.get("carol", "/staff/apps").wantText(t, "[data-testid=app] [data-state]", "Revoked")
	r = o.get("carol", "/staff/apps/1").wantStatus(t, http.StatusOK)
	if r.count("[data-testid=revoke-app], [data-testid=rotate-form]") != 0 {
		t.Error("a revoked app has forms")
	}
	for _, action := range []string{"rotate", "revoke", "revoke-key"} {
		o.post("carol", "/staff/apps/1", "action", action).wantStatus(t, http.StatusNotFound)
	}
	for _, id := range []string{"2", "0", "x", "01"} {
		o.get("carol", "/staff/apps/"+id).wantStatus(t, http.StatusNotFound)
		o.post("carol", "/staff/apps/"+id, "action", "revoke").wantStatus(t, http.StatusNotFound)
	}
	if diff := cmp.Diff([]string{"carol app.revoke app shop"}, o.done()); diff != "" {
		t.Error(diff)
	}
}

func TestKeysOfANewAppAreShownEvenIfTheListFails(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.post("carol", "/staff/apps", "name", "shop", "audience", "user", "max_life", "1h").wantRedirect(t, "/staff/apps/1")
	o.closeSQL()
	if got := o.get("carol", "/staff/apps/1").wantStatus(t, http.StatusOK).text("[data-testid=token-key]"); !strings.HasPrefix(got, "CARILLON_TOKEN_KEY=tk_1.") {
		t.Errorf("the key is %q", got)
	}
	o.get("carol", "/staff/apps/1").wantStatus(t, http.StatusServiceUnavailable)
}

func TestTheSettingsOfAnAppAreChanged(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.haveApp(notifier.App{
		Name: "shop", Audience: 2, MaxLife: 90 * time.Minute, Origins: []string{"https://a.example.com"}, Roles: []string{"picker"},
	})
	shop := func() notifier.App {
		all, _ := o.allApps()
		return all[0]
	}
	r := o.get("carol", "/staff/apps/1")
	o.submit("carol", r, "[data-testid=set-form]").wantRedirect(t, "/staff/apps/1?done=saved")
	if got := o.done(); len(got) != 0 {
		t.Errorf("a form that changes nothing leaves %v", got)
	}
	if got := r.attr("#audience [selected]", "value") + " " + r.attr("#max_life [selected]", "value"); got != "user 1h30m0s" {
		t.Errorf("the form shows %q", got)
	}
	o.post("carol", "/staff/apps/1", "action", "set", "origins", "https://a.example.com  https://b.example.com:8443", "audience", "customer",
		"roles", "night shift, vip", "max_life", "4h0m0s", "issuer", " shop ", "title", "Our shop", "icon", "https://cdn.example.com/a.png").wantRedirect(t, "/staff/apps/1?done=saved")
	want := notifier.App{
		ID: 1, Name: "shop", Audience: 3, MaxLife: 4 * time.Hour, Origins: []string{"https://a.example.com", "https://b.example.com:8443"},
		Roles: []string{"night shift", "vip"}, Issuer: "shop", CreatedAt: noon, AppLook: notifier.AppLook{Title: "Our shop", Icon: "https://cdn.example.com/a.png"},
	}
	if diff := cmp.Diff(want, shop()); diff != "" {
		t.Error(diff)
	}
	o.post("carol", "/staff/apps/1", "action", "set", "roles", "").wantRedirect(t, "/staff/apps/1?done=saved")
	if got := shop(); len(got.Roles) != 0 || len(got.Origins) != 2 {
		t.Errorf("after all roles were removed: %+v", got)
	}
	if diff := cmp.Diff([]string{"carol app.change app shop audience icon issuer max_life origins roles title", "carol app.change app shop roles"}, o.done()); diff != "" {
		t.Error(diff)
	}
	for field, value := range map[string]string{
		"origins": "localhost:3000", "audience": "nobody", "roles": "staff", "max_life": "48h", "issuer": strings.Repeat("i", 600),
		"title": strings.Repeat("t", 61), "icon": "https://example.com/a.png",
	} {
		r := o.post("carol", "/staff/apps/1", "action", "set", field, value).wantStatus(t, http.StatusUnprocessableEntity)
		if r.count("#"+field+"-fault") != 1 || r.count("details[open] [data-testid=set-form]") != 1 {
			t.Errorf("%s: the fault is not beside its field: %s", field, r.text("main"))
		}
		if typed := r.attr("[data-testid=set-form] input[name="+field+"]", "value"); field != "audience" && field != "max_life" && typed != value {
			t.Errorf("%s: what was typed is lost: %q", field, typed)
		}
	}
	if len(o.done()) != 2 {
		t.Errorf("a refused change leaves %v", o.done())
	}
}
