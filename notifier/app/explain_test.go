package app_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
)

func TestExplainNamesTheMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	shop := w.add(t, notifier.App{Name: "shop"}, nil)
	blog := w.add(t, notifier.App{Name: "blog"}, nil)
	secret := []byte(shop.TokenKey)
	part := secret[len("tk_1."):]
	raw, _ := base64.RawURLEncoding.DecodeString(string(part))
	good := sign(t, jose.HS256, secret, "tk_1", w.usual())
	for _, c := range []struct{ token, want string }{
		{good, ""},
		{"Bearer " + good, "this is the whole header: the token is what follows Bearer"},
		{good[:20], "a token has 3 parts between dots, and this text has 1"},
		{"+." + good, "a token has 3 parts between dots, and this text has 4"},
		{"%%%.e30.e30", "its header is not base64url without padding"},
		{sign(t, jose.HS256, secret, "", w.usual()), "its header has no kid: it must be tk_1"},
		{sign(t, jose.HS256, secret, "main", w.usual()), `its kid "main" is unknown or revoked: the app's is tk_1`},
		{sign(t, jose.HS256, secret, "tk_2", w.usual()), `its kid "tk_2" is a key of the app "blog": this app's is tk_1`},
		{sign(t, jose.HS384, secret, "tk_1", w.usual()), `its alg is "HS384", and the key tk_1 is for HS256`},
		{sign(t, jose.HS256, part, "tk_1", w.usual()), "it is signed with a part of the key: sign with the whole text of CARILLON_TOKEN_KEY, tk_1. included"},
		{sign(t, jose.HS256, raw, "tk_1", w.usual()), "it is signed with a part of the key: sign with the whole text of CARILLON_TOKEN_KEY, tk_1. included"},
		{good[:len(good)-4] + "AAAA", "its signature is not by the key tk_1"},
		{sign(t, jose.HS256, []byte(blog.TokenKey), "tk_2", w.usual()), `the token is good, but it is one of the app "blog"`},
		{sign(t, jose.HS256, secret, "tk_1", w.usual("sub", absent)), "token_claim: sub is required"},
	} {
		_, err := w.v.Explain(t.Context(), "shop", c.token)
		if got := text(err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if got := text(err); strings.Contains(got, string(part)) {
			t.Errorf("the explanation has the secret: %s", got)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
