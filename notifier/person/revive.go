package person

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carillonhq/carillon/notifier"
)

// ReviveMailOf schedules an immediate retry of a user's mail address, with everything in the inbox that was not
// mailed. revived is false if there is nothing to try: the address is neither dead nor failing, or the request is the
// user's own and the address has not been failing for notifier.OwnRevivalWait. It returns notifier.ErrNotFound for an
// unknown user.
func (p *People) ReviveMailOf(ctx context.Context, by notifier.Actor, name string) (revived bool, err error) {
	u, err := p.Store.UserByName(ctx, name)
	if err != nil {
		return false, err
	}
	object := notifier.UserRef(u)
	n, err := p.revive(ctx, by, notifier.Revival{Seq: u.Seq, Own: by.Is(object)}, object, "")
	return n > 0, err
}

// ReviveMail is ReviveMailOf for many users, and returns their number. what is the name of a user, or a domain, with
// or without an @ before it; empty: all addresses. The error is notifier.ErrNotFound if it is neither.
func (p *People) ReviveMail(ctx context.Context, by notifier.Actor, what string) (n int64, err error) {
	if what == "" {
		return p.revive(ctx, by, notifier.Revival{}, notifier.Ref{}, "all")
	}
	switch revived, err := p.ReviveMailOf(ctx, by, what); {
	case revived:
		return 1, err
	case err == nil:
		return 0, nil
	case !errors.Is(err, notifier.ErrNotFound):
		return 0, err
	}
	domain := strings.TrimPrefix(what, "@")
	if domain == "" || strings.Contains(domain, "@") || domain == what && !strings.Contains(what, ".") {
		return 0, notifier.ErrNotFound
	}
	return p.revive(ctx, by, notifier.Revival{Domain: domain}, notifier.Ref{}, "@"+domain)
}

// revive does the common part. Nothing is recorded if nothing was done.
func (p *People) revive(ctx context.Context, by notifier.Actor, which notifier.Revival, object notifier.Ref, detail string) (n int64, err error) {
	if n, err = p.Store.Revive(ctx, which); err != nil || n == 0 {
		return 0, err
	}
	p.record(ctx, by, "user.mail.revive", object, strings.TrimSpace(fmt.Sprintf("%s %d", detail, n)))
	return n, nil
}
