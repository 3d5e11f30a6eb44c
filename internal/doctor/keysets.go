package doctor

import (
	"context"
	"errors"
	"fmt"

	"github.com/carillonhq/carillon/internal/outbound"
	"github.com/carillonhq/carillon/notifier/app"
)

// keySets fetches the keys of each app that has a JWKS, as for the first token with a new key.
func (e *examination) keySets(ctx context.Context, fetch func(context.Context) ([]app.KeySet, error)) {
	const check = "jwks"
	sets, err := fetch(ctx)
	if err != nil {
		e.fail(check, err.Error(), "see the check of SQL and of the keys")
		return
	}
	for _, set := range sets {
		switch {
		case errors.Is(set.Err, outbound.ErrPrivate):
			e.fail(check, fmt.Sprintf("the keys of the app %s at %s are in a private network", set.App, set.URL), "allow its network with --outbound-allow")
		case set.Err != nil:
			e.fail(check, fmt.Sprintf("the keys of the app %s cannot be fetched: %v", set.App, set.Err),
				"correct its address, or let this machine reach it; until then tokens with keys that are not known yet are refused")
		default:
			e.ok(check, "%s of the app %s at %s", plural(set.Keys, "key"), set.App, set.URL)
		}
	}
}
