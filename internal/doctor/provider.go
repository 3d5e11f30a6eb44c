package doctor

import (
	"context"
	"slices"
	"strings"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/identity"
)

// provider requests the identity provider's addresses, like the first sign-in.
func (e *examination) provider(ctx context.Context, cfg *config.Config) {
	if cfg.OIDC == nil {
		return
	}
	p, err := identity.NewProvider(identity.ProviderConfig{Issuer: cfg.OIDC.Issuer, ClientID: cfg.OIDC.ClientID, SessionKeys: [][]byte{make([]byte, config.KeyBytes)}})
	var claims []string
	if err == nil {
		claims, err = p.Check(ctx)
	}
	if err != nil {
		e.fail("oidc", err.Error(), "correct --oidc-issuer, or let this machine reach it; until then nobody can sign in there, and signed-in users stay signed in")
		return
	}
	e.ok("oidc", "%s signs users in; %s%s/callback must be registered there as a redirect URI", cfg.OIDC.Issuer, cfg.PublicURL, identity.OIDCPath)
	e.claims(cfg.OIDC, claims)
	if cfg.OIDC.StaffGroup == "" {
		e.note("oidc", "--oidc-staff-group is not set", "set it, or make users staff with carillon user role; until then no user who signs in there is staff")
	}
}

// claims compares the claims in the settings with those that the provider lists. The provider may support more.
func (e *examination) claims(o *config.OIDC, known []string) {
	if len(known) == 0 {
		return
	}
	e.ok("oidc", "it supports the claims %s", strings.Join(known[:min(len(known), 40)], ", "))
	for _, of := range [][3]string{
		{"--oidc-user-claim", o.UserClaim, "nobody could sign in"},
		{"--oidc-groups-claim", o.GroupsClaim, "nobody is staff by their groups"},
	} {
		first, _, _ := strings.Cut(of[1], ".")
		if of[0] == "--oidc-groups-claim" && o.StaffGroup == "" || slices.Contains(known, of[1]) || slices.Contains(known, first) {
			continue
		}
		e.note("oidc", "the provider does not list the claim "+of[1]+" of "+of[0], "if it is missing, "+of[2]+": add a mapper or scope for it there, or name another claim")
	}
}
