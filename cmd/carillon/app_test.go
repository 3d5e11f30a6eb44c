package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestAnAppIsAddedRotatedAndRevoked(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	out := must(t, c.run(t.Context(), "app", "add", "shop", "--origin", "https://shop.example.com", "--roles", "picker,vip")).out // must be readable by a shell
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], "CARILLON_API_KEY=ck_") || !strings.HasPrefix(lines[1], "CARILLON_TOKEN_KEY=tk_1.") {
		t.Fatalf("it prints\n%s", out)
	}
	var rotated rotatedApp
	decode(t, must(t, c.run(t.Context(), "app", "rotate", "shop", "--json")).out, &rotated)
	if !strings.HasPrefix(rotated.TokenKey, "tk_2.") {
		t.Errorf("the next key is %q", rotated.TokenKey)
	}
	must(t, c.run(t.Context(), "app", "revoke", "shop", "--key", "1"))
	var listed appLine
	decode(t, must(t, c.run(t.Context(), "app", "list", "--json")).out, &listed)
	if strings.Join(listed.Keys, " ") != "tk_2" || strings.Join(listed.Roles, " ") != "picker vip" || listed.Audience != "user" || listed.MaxLife != "1h0m0s" {
		t.Errorf("the list has %+v", listed)
	}
	must(t, c.run(t.Context(), "app", "revoke", "shop"))
	list := must(t, c.run(t.Context(), "app", "list")).out
	if !strings.HasPrefix(list, "1\tshop\trevoked ") {
		t.Errorf("the list is %s", list)
	}
	for _, args := range [][]string{{"app", "revoke", "shop"}, {"app", "rotate", "shop"}, {"app", "revoke", "shop", "--key", "2"}, {"doctor", "--app", "shop", "--token", "x"}} {
		if r := c.run(t.Context(), args...); r.status != exitFailed || !strings.Contains(r.errors, "shop") {
			t.Errorf("%v on a revoked app: %d %s", args, r.status, r.errors)
		}
	}
}

func TestAnAPIKeyOfAnAppIsReplacedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c, "--demo")
	var added addedApp
	decode(t, must(t, c.run(t.Context(), "app", "add", "store", "--json")).out, &added)
	send := func(key, subject string) {
		t.Helper()
		status, answer := application(t, s, key, http.MethodPost, "/notices", `{"target":{"users":["bob"]},"type":"order","subject":"`+subject+`","title":"One"}`)
		if status != http.StatusAccepted {
			t.Fatalf("%d %s", status, answer)
		}
	}
	send(added.APIKey, "7")
	r := must(t, c.run(t.Context(), "app", "rotate", "store", "--api-key", "--grace", "24h"))
	key, found := strings.CutPrefix(strings.TrimSpace(r.out), "CARILLON_API_KEY=")
	if !found || !strings.HasPrefix(key, "ck_") || !strings.Contains(r.errors, "24h") {
		t.Fatalf("it prints %q, and %q to stderr", r.out, r.errors)
	}
	send(key, "8")
	send(added.APIKey, "9") // during the grace time
	for _, subject := range []string{"7", "9"} {
		if status, answer := application(t, s, key, http.MethodDelete, "/subjects/"+subject, ""); status != http.StatusOK {
			t.Errorf("the new key takes back what the old one has sent: %d %s", status, answer)
		}
	}
	wantWords(t, must(t, c.run(t.Context(), "key", "list")).out, "valid until ")
	for _, args := range [][]string{{"--grace", "24h"}, {"--api-key", "--grace", "-1h"}, {"--api-key", "--grace", "721h"}} {
		if r := c.run(t.Context(), append([]string{"app", "rotate", "store"}, args...)...); r.status != exitUsage || !strings.Contains(r.errors, "--grace") {
			t.Errorf("%v: %d %s", args, r.status, r.errors)
		}
	}
	if r := c.run(t.Context(), "app", "rotate", "nothing", "--api-key"); r.status != exitFailed || !strings.Contains(r.errors, `"nothing"`) {
		t.Errorf("an unknown app: %d %s", r.status, r.errors)
	}
}

func TestSnippetsArePrintedForAStack(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	out := must(t, c.run(t.Context(), "app", "add", "shop", "--snippet", "django", "--public-url", "https://bell.example.org")).out
	for _, want := range []string{"CARILLON_TOKEN_KEY=tk_1.", "\n\n# In urls.py:", "def carillon_token(request):", `src="https://bell.example.org/embed/v1.js"`} {
		if !strings.Contains(out, want) {
			t.Errorf("it lacks %q:\n%s", want, out)
		}
	}
	var added addedApp
	decode(t, must(t, c.run(t.Context(), "app", "add", "blog", "--snippet", "go", "--addr", "127.0.0.1:0", "--json")).out, &added)
	if !strings.Contains(added.Endpoint, "func Token(") || !strings.Contains(added.HTML, unknownServer+"/embed/v1.js") {
		t.Errorf("as JSON: %+v", added)
	}
	if r := c.run(t.Context(), "app", "add", "other", "--snippet", "cobol"); r.status != exitUsage || !strings.Contains(r.errors, "--snippet") {
		t.Errorf("an unknown stack: %d %s", r.status, r.errors)
	}
	for stack, begins := range map[string]string{"laravel": "<?php\n// Your application signs", "rails": "# Your application signs", "express": "// Your application signs"} {
		decode(t, must(t, c.run(t.Context(), "app", "add", stack, "--snippet", stack, "--jwks", "https://shop.example.com/keys", "--issuer", stack, "--json")).out, &added)
		if !strings.HasPrefix(added.Endpoint, begins) || !strings.Contains(added.Endpoint, "kid from the JWKS") {
			t.Errorf("%s with --jwks: %.200s", stack, added.Endpoint)
		}
	}
}

func TestAddingAnAppSaysWhatComesNext(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	r := must(t, c.run(t.Context(), "app", "add", "shop", "--addr", strings.TrimPrefix(server.URL, "http://")))
	for _, want := range []string{`<script type="module" src="` + server.URL + `/embed/v1.js"></script>`, "<carillon-bell token-url=", "carillon app set shop --origin https://"} {
		if !strings.Contains(r.errors, want) {
			t.Errorf("it lacks %q:\n%s", want, r.errors)
		}
	}
	server.Close()
	r = must(t, c.run(t.Context(), "app", "add", "blog", "--origin", "https://blog.example.com", "--addr", strings.TrimPrefix(server.URL, "http://")))
	if !strings.Contains(r.errors, "write the address of Carillon for "+unknownServer) || strings.Contains(r.errors, "no origin") {
		t.Errorf("beside no server:\n%s", r.errors)
	}
	must(t, c.run(t.Context(), "app", "add", "keys", "--jwks", "https://shop.example.com/keys", "--issuer", "shop"))
	for _, one := range []struct {
		args []string
		want string
	}{
		{[]string{"shop"}, `there is an application "shop" already`},
		{[]string{"other", "--jwks", "https://shop.example.com/keys", "--issuer", "shop"}, `--issuer: "shop" is the issuer of the application "keys"`},
	} {
		if r := c.run(t.Context(), append([]string{"app", "add"}, one.args...)...); r.status != exitFailed || !strings.Contains(r.errors, one.want) || strings.Contains(r.errors, " or ") {
			t.Errorf("%v: %d %s", one.args, r.status, r.errors)
		}
	}
}

// A page of an origin that was not set at first gets access with the command named in the log and the console, at a
// running instance, and the previous origins stay.
func TestAnAppCanBeChanged(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c)
	must(t, c.run(t.Context(), "app", "add", "shop", "--origin", "https://shop.example.com", "--roles", "picker"))
	shares := func(origin string) bool {
		status, _ := asks(t, func(r *http.Request) { r.Header.Set("Origin", origin) }, http.MethodGet, s.URL+"/api/v1/me/badge", "")
		return status == http.StatusUnauthorized // only the token is missing
	}
	if shares("http://127.0.0.1:5000") {
		t.Fatal("any page gets in")
	}
	must(t, c.run(t.Context(), "app", "set", "shop", "--origin", "http://127.0.0.1:5000", "--origin", "https://www.example.com",
		"--audience", "customer", "--max-life", "2h", "--roles", "driver,packer", "--issuer", "the shop"))
	testkit.Eventually(t, "pages of the new origin get in", func() bool { return shares("http://127.0.0.1:5000") })
	must(t, c.run(t.Context(), "app", "set", "shop", "--remove-origin", "https://WWW.example.com:443", "--roles="))
	var has struct {
		Origins, Roles            []string
		Audience, MaxLife, Issuer string
	}
	line := strings.Replace(must(t, c.run(t.Context(), "app", "list", "--json")).out, "max_life", "MaxLife", 1)
	decode(t, line, &has)
	if !slices.Equal(has.Origins, []string{"https://shop.example.com", "http://127.0.0.1:5000"}) || len(has.Roles) > 0 ||
		has.Audience != "customer" || has.MaxLife != "2h0m0s" || has.Issuer != "the shop" {
		t.Errorf("the app is %+v", has)
	}
	for want, args := range map[string][]string{
		"--origin": {"--origin", "https://shop.example.com/path"}, "--roles": {"--roles", "staff"}, "--max-life": {"--max-life", "25h"},
		"--audience": {"--audience", "martians"},
	} {
		if r := c.run(t.Context(), append([]string{"app", "set", "shop"}, args...)...); r.status != exitUsage || !strings.Contains(r.errors, want) {
			t.Errorf("%v: %d %s", args, r.status, r.errors)
		}
	}
}

func TestAnAppIsGivenATitleAndAnIcon(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	const icon = "https://img.example.com/shop.png"
	add := []string{"app", "add", "shop", "--title", "Our shop", "--icon", icon}
	if r := c.run(t.Context(), add...); r.status != exitUsage || !strings.Contains(r.errors, "--icon") || !strings.Contains(r.errors, "--image-hosts") {
		t.Errorf("without hosts of pictures: %d %s", r.status, r.errors)
	}
	must(t, c.run(t.Context(), append(add, "--image-hosts", "example.com")...))
	looks := func(title, icon string) {
		t.Helper()
		var has struct{ Title, Icon string }
		if decode(t, must(t, c.run(t.Context(), "app", "list", "--json")).out, &has); has.Title != title || has.Icon != icon {
			t.Errorf("the app looks like %+v, want %q and %q", has, title, icon)
		}
	}
	looks("Our shop", icon)
	must(t, c.run(t.Context(), "app", "set", "shop", "--title", "The shop")) // the icon stays, although its host is no longer one of pictures
	looks("The shop", icon)
	must(t, c.run(t.Context(), "app", "set", "shop", "--title=", "--icon="))
	looks("", "")
	if r := c.run(t.Context(), "app", "set", "shop", "--title", strings.Repeat("x", 61)); r.status != exitUsage || !strings.Contains(r.errors, "--title") {
		t.Errorf("a long title: %d %s", r.status, r.errors)
	}
}

func TestAWrongAppNamesEachFlag(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, []byte("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--origin: “shop” isn't an origin":        {"--origin", "shop"},
		"--roles: Tokens can't give":              {"--roles", "staff"},
		"--max-life: Choose between":              {"--max-life", "59s"},
		"--jwks: Enter an https address":          {"--jwks", "http://shop.example.com/keys", "--issuer", "x"},
		"--issuer: Keys at an address":            {"--jwks", "https://shop.example.com/keys"},
		"--public-key: This isn't a public key":   {"--public-key", file},
		"--public-key: stat":                      {"--public-key", file + ".none"},
		"--audience: unknown audience \"robots\"": {"--audience", "robots"},
		"can't be used together":                  {"--public-key", file, "--jwks", "https://shop.example.com/keys"},
	} {
		if r := c.run(t.Context(), append([]string{"app", "add", "shop"}, args...)...); r.status != exitUsage || !strings.Contains(r.errors, want) {
			t.Errorf("%v: %d %s; want %s", args, r.status, r.errors, want)
		}
	}
	if list := must(t, c.run(t.Context(), "app", "list")).out; list != "" {
		t.Errorf("apps were added:\n%s", list)
	}
}

func TestDoctorExplainsAToken(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	var added addedApp
	decode(t, must(t, c.run(t.Context(), "app", "add", "shop", "--json")).out, &added)
	now := time.Now().Unix()
	token := func(key string, exp int64) string { return signedToken(t, key, now, exp) }
	good := must(t, c.run(t.Context(), "doctor", "--app", "shop", "--token", token(added.TokenKey, now+900))).out
	if !strings.HasPrefix(good, `the token is good: it is for "42" of shop, and lives 15m0s until `) {
		t.Errorf("a good token: %s", good)
	}
	_, part, _ := strings.Cut(added.TokenKey, ".")
	if r := c.typing(token(part, now+900)+"\n").run(t.Context(), "doctor", "--app", "shop", "--token", "-"); r.status != exitFailed || !strings.Contains(r.errors, "sign with the whole text of CARILLON_TOKEN_KEY") {
		t.Errorf("a token signed with a part of the key: %d %s", r.status, r.errors)
	}
	if r := c.run(t.Context(), "doctor", "--app", "shop", "--token", token(added.TokenKey, now+7200)); r.status != exitFailed || !strings.Contains(r.errors, "token_lifetime: exp is 2h0m0s after iat") {
		t.Errorf("a token that lives too long: %d %s", r.status, r.errors)
	}
}

// signedToken returns a token of the application whose first key this is, for its user 42.
func signedToken(t *testing.T, key string, now, exp int64) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: []byte(key)}, (&jose.SignerOptions{}).WithHeader("kid", "tk_1"))
	if err != nil {
		t.Fatal(err)
	}
	payload, _ := json.Marshal(map[string]any{"sub": "42", "aud": "carillon", "iat": now, "exp": exp})
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := signed.CompactSerialize()
	return text
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
}
