package person

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// ReviveMail has mail addresses that are dead or failing tried again at once, and returns their number. what is
// the name of a user, or a domain, with or without an @ before it; empty: all addresses. The error is
// notifier.ErrNotFound for what is neither.
func (p *People) ReviveMail(ctx context.Context, by notifier.Actor, what string) (n int64, err error) {
	which, object, detail := notifier.Revival{}, notifier.Ref{}, "all"
	if what != "" {
		switch u, err := p.Directory.UserByName(ctx, what); {
		case err == nil:
			which.Seq, object, detail = u.Seq, notifier.UserRef(u), ""
		case !errors.Is(err, notifier.ErrNotFound):
			return 0, err
		case !strings.Contains(what, "@") && !strings.Contains(what, "."):
			return 0, notifier.ErrNotFound
		default:
			which.Domain = strings.TrimPrefix(what, "@")
			if which.Domain == "" || strings.Contains(which.Domain, "@") {
				return 0, notifier.ErrNotFound
			}
			detail = "@" + which.Domain
		}
	}
	if n, err = p.Directory.Revive(ctx, which); err != nil {
		return 0, err
	}
	p.record(ctx, by, "user.mail.revive", object, strings.TrimSpace(fmt.Sprintf("%s %d", detail, n)))
	return n, nil
}
