package api

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
)

// address returns the path and query of a call with the parameters of its first example. The
// given pairs of names and values take precedence.
func (c call) address(given ...string) string {
	path, query := c.path, url.Values{}
	values := map[string]string{}
	if len(c.examples) > 0 {
		for name, value := range c.examples[0].params {
			values[name] = value
		}
	}
	for i := 0; i+1 < len(given); i += 2 {
		values[given[i]] = given[i+1]
	}
	for name, value := range values {
		if inPath := "{" + name + "}"; strings.Contains(path, inPath) {
			path = strings.ReplaceAll(path, inPath, url.PathEscape(value))
		} else if name != onceHeader {
			query.Set(name, value)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// sample returns the first body among the examples, or nil.
func (c call) sample() any {
	for _, e := range c.examples {
		if e.body != "" {
			return e.body
		}
	}
	return nil
}

func TestEveryCallNeedsAValidKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	revoked, hash := app.NewAPIKey()
	k, err := w.store.AddKey(t.Context(), notifier.Actor{}, notifier.APIKey{Name: "old", Scopes: notifier.KeyScopes()}, hash)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.RevokeKey(t.Context(), notifier.Actor{}, k.ID); err != nil {
		t.Fatal(err)
	}
	unknown, _ := app.NewAPIKey()
	for _, c := range calls(t, w) {
		for name, header := range map[string]string{
			"none": "", "unknown": "Bearer " + unknown, "revoked": "Bearer " + revoked, "no token": "Bearer", "empty": "Bearer ",
			"another scheme": "Basic " + w.admin, "no scheme": w.admin, "half": "Bearer " + w.admin[:20], "long": "Bearer " + strings.Repeat("k", 8000),
			"two": "Bearer " + w.admin + " " + w.admin, "not text": "Bearer ck_\xff\x01",
		} {
			res := w.call(t, "", c.method, c.address(), c.sample(), "Authorization", header)
			if res.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(res.Header.Get("WWW-Authenticate"), "Bearer") {
				t.Errorf("%s, %s: status %d, %v", c.id, name, res.StatusCode, res.Header)
			}
			res.is(t, http.StatusUnauthorized)
		}
		// A session cookie of the pages is not a key. The scheme is case-insensitive.
		w.call(t, "", c.method, c.address(), c.sample(), "Cookie", "session=x").is(t, http.StatusUnauthorized)
	}
	w.call(t, "", "GET", "/notices/1", nil, "Authorization", "bearer "+w.admin).is(t, http.StatusNotFound)
}

func TestEveryCallNeedsItsScopeOrAdmin(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	keys := map[notifier.KeyScope]string{notifier.ScopeSend: w.send, notifier.ScopeRead: w.read, notifier.ScopeAdmin: w.admin}
	for _, c := range calls(t, w) {
		if c.user {
			continue // no key may make it: TestBadTokensAreRefusedWithTheirReason
		}
		for scope, key := range keys {
			res := w.call(t, key, c.method, c.address(), c.sample())
			allowed := scope == c.scope || scope == notifier.ScopeAdmin
			if refused := res.StatusCode == http.StatusForbidden; refused == allowed {
				t.Errorf("%s with a key for %s: status %d", c.id, scope, res.StatusCode)
			}
			if res.StatusCode >= http.StatusInternalServerError {
				t.Errorf("%s with a key for %s: %s", c.id, scope, res.text)
			}
		}
	}
	if u, err := w.store.UserByName(t.Context(), "alice"); err != nil || u.Name != "alice" {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestTheKeyIsCheckedBeforeTheBody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range calls(t, w) {
		if c.sample() == nil {
			continue
		}
		w.call(t, "", c.method, c.address(), `{"nonsense":`).is(t, http.StatusUnauthorized)
		w.call(t, "", c.method, c.address(), strings.Repeat("x", maxBody+1)).is(t, http.StatusUnauthorized)
	}
}
