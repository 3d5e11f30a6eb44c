package idp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

// Claims of the ID token and of userinfo, by the paths that settings name: groups, or realm_access.roles.
type claims map[string]any

// at returns a claim: the one of exactly this name, or the one that a path of names with dots leads to.
func (c claims) at(path string) (any, bool) {
	if value, found := c[path]; found { // names such as https://example.com/groups have dots of their own
		return value, value != nil
	}
	head, rest, nested := strings.Cut(path, ".")
	for nested {
		if inner, ok := c[head].(map[string]any); ok {
			if value, found := claims(inner).at(rest); found {
				return value, true
			}
		}
		more, tail, found := strings.Cut(rest, ".")
		head, rest, nested = head+"."+more, tail, found
	}
	return nil, false
}

// lacking returns the claims that are wanted and that the ID token does not have. Many providers put them into
// userinfo only.
func (p *Provider) lacking(c claims) (missing []string) {
	wanted := []string{p.cfg.UserClaim, "name"}
	if p.cfg.Email {
		wanted = append(wanted, "email")
	}
	if p.cfg.StaffGroup != "" {
		wanted = append(wanted, p.cfg.GroupsClaim)
	}
	for _, claim := range wanted {
		if _, found := c.at(claim); !found {
			missing = append(missing, claim)
		}
	}
	return missing
}

// complain logs what a provider leaves out, once until it leaves out something else.
func (p *Provider) complain(ctx context.Context, what, why string) {
	p.mu.Lock()
	again := p.complaint == what+why
	p.complaint = what + why
	p.mu.Unlock()
	if !again {
		p.cfg.Log.WarnContext(ctx, "the identity provider leaves out claims", "issuer", p.Host(), "claims", what, "reason", why)
	}
}

// ungrouped explains why there are no groups.
func ungrouped(c claims) string {
	if names, ok := c["_claim_names"].(map[string]any); ok && names["groups"] != nil { // Entra ID, above 200 groups
		return "the user is in too many groups for a token: have the provider send only those assigned to this application"
	}
	return "neither the ID token nor userinfo has the claim: the provider may need a mapper or a scope for it, or the user has no groups"
}

// complete adds to the claims of an ID token those that only userinfo has. Claims of the token stay. The user is
// identified even if userinfo fails: the error is only for the log.
func (p *Provider) complete(ctx context.Context, f *found, answer *oauth2.Token, c claims) error {
	missing := p.lacking(c)
	if len(missing) == 0 || f.userinfo == "" {
		return nil
	}
	more, err := p.askUserinfo(ctx, f, answer.AccessToken)
	if err != nil {
		return fmt.Errorf("the ID token lacks %s, and userinfo: %w", strings.Join(missing, ", "), err)
	}
	subject, _ := c["sub"].(string)
	if said, _ := more["sub"].(string); subject == "" || said != subject { // OpenID Connect Core, section 5.3.2
		return fmt.Errorf("the ID token lacks %s, and userinfo is about another sub: it is ignored", strings.Join(missing, ", "))
	}
	for claim, value := range more {
		if _, found := c[claim]; !found {
			c[claim] = value
		}
	}
	return nil
}

// askUserinfo returns the claims of userinfo for an access token; it may be JSON or a signed token.
func (p *Provider) askUserinfo(ctx context.Context, f *found, token string) (claims, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.userinfo, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json, application/jwt")
	res, err := p.asker.Do(req)
	if err != nil {
		return nil, brief{err}
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %s", res.Status)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer+1))
	if err != nil {
		return nil, brief{err}
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("it has more than %d bytes", maxAnswer)
	}
	if kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); kind == "application/jwt" {
		if body, err = p.opened(ctx, f, string(body)); err != nil {
			return nil, err
		}
	}
	var c claims
	if err := json.Unmarshal(body, &c); err != nil || c == nil {
		return nil, errors.New("it is no JSON object")
	}
	return c, nil
}

// opened returns the claims of signed userinfo, which is signed as ID tokens are. An encrypted one is refused: Carillon
// has no key for it.
func (p *Provider) opened(ctx context.Context, f *found, text string) ([]byte, error) {
	if strings.Count(text, ".") == 4 {
		return nil, errors.New("it is encrypted: have the provider sign it only, or answer in JSON")
	}
	if _, err := jose.ParseSignedCompact(text, f.algorithms); err != nil {
		return nil, fmt.Errorf("it is not a token signed as ID tokens are: %w", brief{err})
	}
	body, err := f.keys.VerifySignature(ctx, text)
	if err != nil {
		return nil, fmt.Errorf("its signature is not the provider's: %w", brief{err})
	}
	var says struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(body, &says) == nil && says.Issuer != "" && says.Issuer != p.cfg.Issuer {
		return nil, fmt.Errorf("it is from %.200q", says.Issuer)
	}
	return body, nil
}
