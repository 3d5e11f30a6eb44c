package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"

	"github.com/carillonhq/carillon/notifier"
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

// warn logs what a provider leaves out, once until it leaves out something else.
func (p *Provider) warn(ctx context.Context, what, why string) {
	p.mu.Lock()
	again := p.warning == what+why
	p.warning = what + why
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
func (p *Provider) complete(ctx context.Context, f *discovery, answer *oauth2.Token, c claims) error {
	missing := p.lacking(c)
	if len(missing) == 0 || f.userinfo == "" {
		return nil
	}
	more, err := p.userinfo(ctx, f, answer.AccessToken)
	if err != nil {
		return fmt.Errorf("the ID token lacks %s, and userinfo: %w", strings.Join(missing, ", "), err)
	}
	subject, _ := c["sub"].(string)
	if other, _ := more["sub"].(string); subject == "" || other != subject { // OpenID Connect Core, section 5.3.2
		return fmt.Errorf("the ID token lacks %s, and userinfo is about another sub: it is ignored", strings.Join(missing, ", "))
	}
	for claim, value := range more {
		if _, found := c[claim]; !found {
			c[claim] = value
		}
	}
	return nil
}

// userinfo returns the claims of userinfo for an access token; it may be JSON or a signed token.
func (p *Provider) userinfo(ctx context.Context, f *discovery, token string) (claims, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.userinfo, http.NoBody)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Accept", "application/json, application/jwt")
	res, err := p.direct.Do(req)
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
func (p *Provider) opened(ctx context.Context, f *discovery, text string) ([]byte, error) {
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
	var signed struct {
		Issuer string `json:"iss"`
	}
	if json.Unmarshal(body, &signed) == nil && signed.Issuer != "" && signed.Issuer != p.cfg.Issuer {
		return nil, fmt.Errorf("it is from %.200q", signed.Issuer)
	}
	return body, nil
}

// user reads who has signed in from the claims. Only the claim that names them can be wrong.
func (p *Provider) user(c claims, idToken string) (u ProviderUser, err error) {
	u.IDToken = idToken
	u.Name, _ = c[p.cfg.UserClaim].(string)
	if !notifier.ValidName(u.Name) {
		return ProviderUser{}, fmt.Errorf("%w: the claim %s is %.200q", ErrName, p.cfg.UserClaim, fmt.Sprint(c[p.cfg.UserClaim]))
	}
	u.Display, u.Notes.Name = cleaned(c["name"], notifier.CleanDisplay)
	if p.cfg.Email && !unverified(c["email_verified"]) {
		u.Email, u.Notes.Email = cleaned(c["email"], notifier.CleanEmail)
	}
	u.Zone, u.Notes.Zone = cleaned(c["zoneinfo"], notifier.CleanZone)
	if p.cfg.StaffGroup != "" {
		claim, _ := c.at(p.cfg.GroupsClaim)
		u.Staff = slices.Contains(groups(claim), p.cfg.StaffGroup)
	}
	return u, nil
}

// cleaned returns a claim of the profile; nil: there is none, or it was dropped. The first of a list counts.
func cleaned(claim any, clean func(value string) (string, notifier.Mend)) (*string, notifier.Mend) {
	list, many := claim.([]any)
	if many && len(list) > 0 {
		claim = list[0]
	}
	text, ok := claim.(string)
	switch {
	case claim == nil, ok && strings.TrimSpace(text) == "":
		return nil, notifier.Unsaid
	case !ok:
		return nil, notifier.Dropped
	}
	value, mend := clean(text)
	switch {
	case mend == notifier.Dropped:
		return nil, mend
	case mend == notifier.Kept && many:
		mend = notifier.Cut
	}
	return &value, mend
}

// unverified reports whether the claim email_verified is false, so that the address may be somebody else's. Some providers
// write it as a string.
func unverified(claim any) bool {
	text, _ := claim.(string)
	return claim == false || strings.EqualFold(text, "false")
}

// groups reads the claim of groups: a list, one name (AD FS, for users in one group), or an object with a member for each
// (Zitadel, which its documentation puts into a list).
func groups(claim any) (all []string) {
	switch claim := claim.(type) {
	case string:
		return []string{claim}
	case map[string]any:
		for name, in := range claim { // {"notices": {"1708": "example.com"}}: where the user has it
			if _, ok := in.(map[string]any); ok {
				all = append(all, name)
			}
		}
	case []any:
		for _, g := range claim[:min(len(claim), maxGroups)] {
			if _, list := g.([]any); !list {
				all = append(all, groups(g)...)
			}
		}
	}
	return all
}
