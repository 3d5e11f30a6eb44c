package session

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/store"
)

const (
	window     = 15 * time.Minute
	perAccount = 10
	perAddress = 100
	perDevice  = 10
	checkWait  = 10 * time.Second // wait for a free processor
)

// CodePasswordWrong is the code of FieldError for a current password that is not the user's.
const CodePasswordWrong = "password_wrong"

// typedUsers finds users by typed names: invisible characters around a name are dropped, unless a user's name
// contains them.
type typedUsers struct{ sql *store.Store }

// credentials returns notifier.ErrNotFound for an unknown name, and an empty hash for a user without a password.
func (t typedUsers) credentials(ctx context.Context, typed string) (u notifier.User, hash string, err error) {
	u, hash, err = t.sql.Credentials(ctx, typed)
	if name := notifier.TrimName(typed); errors.Is(err, notifier.ErrNotFound) && name != typed {
		return t.sql.Credentials(ctx, name)
	}
	return u, hash, err
}

// SignInConfig configures NewSignIns. The Redis client must have ContextTimeoutEnabled.
type SignInConfig struct {
	Users *store.Store
	Keys  [][]byte // as in Config; none: devices are not recognized
	Place Place
	Redis redis.UniversalClient // may be nil or unavailable
	Space keys.Space
	Now   func() time.Time // nil: time.Now
	Log   *slog.Logger     // nil: silent
}

// SignIns checks passwords and limits failures: 10 per account and 100 per address in 15 minutes. A locked account
// can still be opened from a device on which its owner has signed in before, and from an exhausted address; each such
// device may fail 10 times itself. It is safe for concurrent use.
type SignIns struct {
	users   typedUsers
	devices devices
	limiter *limiter
	journal *journal
	// checks holds a token for each password being checked: each hash takes 19 MiB, and running more
	// of them than there are processors would only use more memory.
	checks chan struct{}
}

// TooManyError is an ErrTooMany with the time until the next try.
type TooManyError = notifier.TooManyError

// NewSignIns returns the sign-in.
func NewSignIns(cfg SignInConfig) *SignIns {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &SignIns{
		users: typedUsers{cfg.Users}, devices: newDevices(cfg.Keys, cfg.Place), limiter: newLimiter(cfg.Redis, cfg.Space, cfg.Now),
		journal: &journal{now: cfg.Now, log: cfg.Log}, checks: make(chan struct{}, runtime.NumCPU()),
	}
}

// Check returns the user if name and password are right, with the cookie by which this browser is recognized from
// then on; the cookie is nil if there is no key to sign it with. It returns notifier.ErrUnauthenticated if they are
// wrong, after the same time whether or not the user exists, and a *TooManyError, without checking the password, if
// the account, the address or the device has failed too often. The limit also holds for concurrent attempts.
func (g *SignIns) Check(r *http.Request, username, password, address string) (notifier.User, *http.Cookie, error) {
	ctx := r.Context()
	enough, err := g.enter(ctx)
	if err != nil {
		return notifier.User{}, nil, err
	}
	defer enough()
	quotas := quotas{{short(notifier.TrimName(username)), perAccount}, {addressGroup(address), perAddress}}
	device := g.devices.known(ctx, g.users, r, username)
	if device != "" {
		// Neither strangers nor others behind the same address can lock the owner out.
		quotas[0].limit, quotas[1].limit, quotas[2] = 0, 0, quota{device, perDevice}
	}
	// The failure is counted in advance and released if there was none. Only as many attempts as g.checks allows do
	// so at a time, so that many correct concurrent sign-ins do not lock the account.
	held, wait := g.limiter.reserve(ctx, quotas)
	if wait > 0 {
		g.journal.limited(ctx, address)
		return notifier.User{}, nil, &TooManyError{RetryAfter: wait}
	}
	user, stored, right, err := g.verify(ctx, username, password)
	if err == nil && !right {
		g.journal.wrong(ctx, address, user.Seq)
		return notifier.User{}, nil, notifier.ErrUnauthenticated
	}
	held.release(ctx)
	if err != nil {
		return notifier.User{}, nil, fmt.Errorf("check a password: %w", err)
	}
	g.journal.right()
	cookie, err := g.devices.remember(device, user, stored)
	if errors.Is(err, errNoKey) {
		err = nil
	}
	return user, cookie, err
}

// Attempt counts a failed sign-in of an address at an identity provider in advance; release undoes that if it
// succeeded. It returns a *TooManyError after 100 in 15 minutes, including failures with passwords.
func (g *SignIns) Attempt(ctx context.Context, address string) (release func(), err error) {
	held, wait := g.limiter.reserve(ctx, quotas{1: {addressGroup(address), perAddress}})
	if wait > 0 {
		g.journal.limited(ctx, address)
		return nil, &TooManyError{RetryAfter: wait}
	}
	return func() { held.release(ctx) }, nil
}

// Confirm checks the password of a user who is signed in, with the limits of Check. A wrong one is a
// *notifier.InvalidError of the field current.
func (g *SignIns) Confirm(r *http.Request, user notifier.User, password, address string) error {
	_, _, err := g.Check(r, user.Name, password, address)
	if errors.Is(err, notifier.ErrUnauthenticated) {
		var bad notifier.InvalidError
		bad.Add("current", CodePasswordWrong, nil)
		return &bad
	}
	return err
}

// Remember returns the cookie by which this browser is recognized after the user's password has changed; nil: there
// is no key to sign it with.
func (g *SignIns) Remember(user notifier.User, hash string) (*http.Cookie, error) {
	cookie, err := g.devices.remember("", user, hash)
	if errors.Is(err, errNoKey) {
		err = nil
	}
	return cookie, err
}

// short returns a fixed-length key for an account name of any length.
func short(name string) string {
	sum := sha256.Sum256([]byte(name))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Stats returns the counts of this instance.
func (g *SignIns) Stats() SignInStats { return g.journal.stats() }

// enter waits until a processor is free for one more password; leave releases it.
func (g *SignIns) enter(ctx context.Context) (leave func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, checkWait)
	defer cancel()
	select {
	case g.checks <- struct{}{}:
		return func() { <-g.checks }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a processor: %w", errors.Join(notifier.ErrUnavailable, ctx.Err()))
	}
}

// verify returns the user and their password hash, even if the password is wrong.
func (g *SignIns) verify(ctx context.Context, username, password string) (user notifier.User, stored string, right bool, err error) {
	user, stored, err = g.users.credentials(ctx, username)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		return notifier.User{}, "", false, err
	}
	known := err == nil && stored != ""
	if !known {
		stored = dummyHash
	}
	if len(password) > maxPassword {
		return user, stored, false, nil // cannot be a user's password, and takes long to hash
	}
	right, err = argon2id.ComparePasswordAndHash(password, stored)
	if err != nil {
		return notifier.User{}, "", false, fmt.Errorf("compare with the hash of user %d: %w", user.Seq, err)
	}
	return user, stored, right && known, nil
}
