package app

import (
	"cmp"
	"context"
	"slices"
)

// KeySet is what an operator learns about the JWKS of one app.
type KeySet struct {
	App  string
	URL  string
	Keys int   // that can verify tokens
	Err  error // why it cannot be fetched; wraps outbound.ErrPrivate for an address that is not allowed
}

// KeySets fetches the JWKS of every valid app that has one, in the order of their names.
func (v *Verifier) KeySets(ctx context.Context) ([]KeySet, error) {
	apps, err := v.known.get(ctx)
	if err != nil {
		return nil, err
	}
	var sets []KeySet
	for _, a := range apps.apps {
		if a.JWKS == "" {
			continue
		}
		set := KeySet{App: a.Name, URL: a.JWKS}
		keys, err := v.sets.fetch(ctx, a)
		for _, named := range keys {
			set.Keys += len(named)
		}
		set.Err = err
		sets = append(sets, set)
	}
	slices.SortFunc(sets, func(a, b KeySet) int { return cmp.Compare(a.App, b.App) })
	return sets, nil
}
