package idp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// user reads who has signed in from the claims. Only the claim that names them can be wrong.
func (p *Provider) user(c claims, idToken string) (u User, err error) {
	u.IDToken = idToken
	u.Name, _ = c[p.cfg.UserClaim].(string)
	if !notifier.ValidName(u.Name) {
		return User{}, fmt.Errorf("%w: the claim %s is %.200q", ErrName, p.cfg.UserClaim, fmt.Sprint(c[p.cfg.UserClaim]))
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
func cleaned(claim any, clean func(said string) (string, notifier.Mend)) (*string, notifier.Mend) {
	list, many := claim.([]any)
	if many && len(list) > 0 {
		claim = list[0]
	}
	said, ok := claim.(string)
	switch {
	case claim == nil, ok && strings.TrimSpace(said) == "":
		return nil, notifier.Unsaid
	case !ok:
		return nil, notifier.Dropped
	}
	value, mend := clean(said)
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
