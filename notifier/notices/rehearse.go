package notices

import (
	"context"
	"errors"

	"github.com/carillonhq/carillon/notifier"
)

// Rehearse validates a draft and finds its recipients as SendAll does, and sends nothing. With bring, users who do not exist
// are no fault, as for SendAllBringing; they are not among the recipients.
func (p *Notices) Rehearse(ctx context.Context, d notifier.Draft, bring bool) (notifier.Confirmed, error) {
	s := &submission{Confirmed: notifier.Confirmed{Draft: d}}
	p.validate(ctx, s)
	p.route(ctx, s)
	if bring && onlyUnknown(s.err) {
		s.err = nil
		p.checkElse(ctx, []*submission{s})
	}
	return s.Confirmed, s.err
}

// onlyUnknown reports whether the only fault of a notice is that some of its users do not exist.
func onlyUnknown(err error) bool {
	var bad *notifier.InvalidError
	return errors.As(err, &bad) && len(bad.Fields) == 1 && bad.Fields[0].Code == notifier.CodeUnknownUsers
}
