package app

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
)

// Explain verifies a token of the app with this name for an operator. Where Verify only reports
// that a token is invalid, the error gives the reason, in one sentence. It returns notifier.ErrNotFound for
// an app that is unknown or revoked.
func (v *Verifier) Explain(ctx context.Context, name, token string) (notifier.UserToken, error) {
	apps, err := v.cache.get(ctx)
	if err != nil {
		return notifier.UserToken{}, err
	}
	a := apps.named(name)
	if a == nil {
		return notifier.UserToken{}, fmt.Errorf("no valid application is called %q: %w", name, notifier.ErrNotFound)
	}
	t, err := v.verify(ctx, apps, token)
	var refusal *notifier.TokenError
	switch {
	case err == nil && t.App.ID != a.ID:
		return t, fmt.Errorf("the token is good, but it is one of the app %q", t.App.Name)
	case errors.As(err, &refusal) && refusal.Code == notifier.TokenInvalid:
		return t, errors.New(apps.fault(a, token))
	}
	return t, err
}

func (s *snapshot) named(name string) *notifier.App {
	for _, a := range s.apps {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// fault returns why a token is invalid.
func (s *snapshot) fault(a *notifier.App, token string) string {
	switch parts := strings.Count(token, ".") + 1; {
	case len(token) > maxToken:
		return fmt.Sprintf("the token has %d bytes, and at most %d are accepted", len(token), maxToken)
	case strings.HasPrefix(token, "Bearer "):
		return "this is the whole header: the token is what follows Bearer"
	case parts != 3:
		return fmt.Sprintf("a token has 3 parts between dots, and this text has %d", parts)
	}
	head, fault := header(token)
	if fault != "" {
		return fault
	}
	id, own := notifier.ParseKid(head.Kid)
	key := s.keys[id]
	switch {
	case a.JWKS != "":
		return fmt.Sprintf("its iss must be %q, and its kid %q a key at %s whose signature it is", a.Issuer, head.Kid, a.JWKS)
	case head.Kid == "":
		return "its header has no kid: it must be " + s.kids(a)
	case !own || key.app == nil:
		return fmt.Sprintf("its kid %q is unknown or revoked: the app's is %s", head.Kid, s.kids(a))
	case key.app != a:
		return fmt.Sprintf("its kid %q is a key of the app %q: this app's is %s", head.Kid, key.app.Name, s.kids(a))
	case head.Alg != string(key.alg):
		return fmt.Sprintf("its alg is %q, and the key %s is for %s", head.Alg, head.Kid, key.alg)
	}
	return signatureFault(key, head.Kid, token)
}

// tokenHeader is the content of the header of a token.
type tokenHeader struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
}

func header(token string) (h tokenHeader, fault string) {
	first, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(first)
	if err != nil {
		return h, "its header is not base64url without padding"
	}
	if json.Unmarshal(text, &h) != nil {
		return h, "its header is not JSON"
	}
	return h, ""
}

// kids lists the keys of an app.
func (s *snapshot) kids(a *notifier.App) string {
	var all []string
	for id, key := range s.keys {
		if key.app == a {
			all = append(all, (&notifier.AppKey{ID: id}).Kid())
		}
	}
	slices.Sort(all)
	return strings.Join(all, " or ")
}

// signatureFault checks for the most common mistake: signing with a part of the key.
func signatureFault(key verifyKey, kid, token string) string {
	secret, shared := key.key.([]byte)
	if signed, err := jose.ParseSignedCompact(token, algorithms); err == nil && shared {
		_, part, _ := bytes.Cut(secret, []byte("."))
		raw, _ := base64.RawURLEncoding.DecodeString(string(part))
		for _, wrong := range [][]byte{part, raw} {
			if _, err := signed.Verify(wrong); err == nil {
				return "it is signed with a part of the key: sign with the whole text of CARILLON_TOKEN_KEY, " + kid + ". included"
			}
		}
	}
	return "its signature is not by the key " + kid
}
