package instance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/person"
)

// providedLife is how long a user of the identity provider stays signed in: their groups are read again at
// the next sign-in.
const providedLife = 12 * time.Hour

// NewProvider returns the identity provider of a configuration that has one.
func NewProvider(cfg *config.Config, log *slog.Logger) (*identity.Provider, error) {
	keys, err := cfg.SigningKeys()
	if err != nil {
		return nil, fmt.Errorf("prepare the identity provider: %w", err)
	}
	return identity.NewProvider(identity.ProviderConfig{
		Issuer: cfg.OIDC.Issuer, ClientID: cfg.OIDC.ClientID, ClientSecret: cfg.OIDC.ClientSecret,
		UserClaim: cfg.OIDC.UserClaim, GroupsClaim: cfg.OIDC.GroupsClaim, StaffGroup: cfg.OIDC.StaffGroup, Email: cfg.OIDC.Email, Log: log,
		PublicURL: strings.TrimSuffix(cfg.PublicURL.String(), "/"), SessionKeys: keys,
	})
}

// provider signs in the users of the identity provider.
type provider struct {
	*identity.Provider
	people   *person.People
	sessions *session.Sessions
	audience notifier.Audience // of new users
}

// Finish returns the session of the user who has signed in at the provider. They are added if they are new.
func (p provider) Finish(r *http.Request) (signed notifier.Signed, next string, err error) {
	who, next, err := p.Provider.Finish(r)
	if err != nil {
		return signed, next, err
	}
	met := notifier.ProxiedUser{Name: who.Name, Display: who.Display, Email: who.Email, Zone: who.Zone, Notes: who.Notes, Audience: p.audience}
	user, err := p.people.Provided(r.Context(), met)
	switch {
	case errors.Is(err, notifier.ErrBadIdentity):
		return signed, next, fmt.Errorf("%w: %w", identity.ErrName, err)
	case err != nil:
		return signed, next, err
	}
	by := &notifier.Provided{Until: time.Now().Add(providedLife), Staff: who.Staff, IDToken: who.IDToken}
	return notifier.Signed{User: user, By: by}, next, nil
}

// Leave returns where the user of a session signs out at the provider; empty: they have signed in here, or it
// has no such address. See identity.Provider for the errors.
func (p provider) Leave(ctx context.Context, session string) (string, error) {
	token, err := p.sessions.IDToken(ctx, session)
	if err != nil || token == "" {
		return "", err
	}
	return p.Provider.Leave(ctx, token)
}
