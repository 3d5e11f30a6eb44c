package doctor

import (
	"context"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/idp"
)

// provider asks the identity provider for its addresses, as the first sign-in does.
func (e *examination) provider(ctx context.Context, cfg *config.Config) {
	if cfg.OIDC == nil {
		return
	}
	p, err := idp.New(idp.Config{Issuer: cfg.OIDC.Issuer, ClientID: cfg.OIDC.ClientID, SessionKeys: [][]byte{make([]byte, config.KeyBytes)}})
	if err == nil {
		err = p.Check(ctx)
	}
	if err != nil {
		e.fail("oidc", err.Error(), "correct --oidc-issuer, or let this machine reach it; until then nobody can sign in there, and those who are signed in stay so")
		return
	}
	e.ok("oidc", "%s signs users in; it must know %s%s/callback as a redirect URI", cfg.OIDC.Issuer, cfg.PublicURL, idp.Path)
	if cfg.OIDC.StaffGroup == "" {
		e.note("oidc", "--oidc-staff-group is not set", "set it, or make users staff with carillon user role; until then nobody who signs in there is staff")
	}
}
