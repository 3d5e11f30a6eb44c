package notices

import (
	"context"
	"slices"

	"github.com/carillonhq/carillon/notifier"
)

// SendAllBringing is SendAll for an app, which may send to users who do not exist yet: bring creates those among names. It
// creates all or none; if it fails, the notices to them have its error.
func (p *Notices) SendAllBringing(ctx context.Context, by notifier.Actor, all []notifier.Request, bring func(ctx context.Context, names []string) error) []notifier.Result {
	results := p.SendAll(ctx, by, all)
	again := func(places []int) {
		var names []string
		rest := make([]notifier.Request, len(places))
		for k, i := range places {
			rest[k], names = all[i], append(names, all[i].Draft.Target.Users...)
		}
		err := bring(ctx, names)
		var sent []notifier.Result
		if err == nil {
			sent = p.SendAll(ctx, by, rest)
		}
		for k, i := range places {
			if results[i].Err = err; err == nil {
				results[i] = sent[k]
			}
		}
	}
	var many []int // whose users are added together; a name that no new user can have fails its own notice only
	for i := range all {
		if onlyUnknown(results[i].Err) {
			if slices.ContainsFunc(all[i].Draft.Target.Users, func(name string) bool { return !notifier.ValidNewName(name) }) {
				again([]int{i})
			} else {
				many = append(many, i)
			}
		}
	}
	if len(many) > 0 {
		again(many)
	}
	return results
}
