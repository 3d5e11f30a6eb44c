package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strings"

	"github.com/alexedwards/argon2id"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// demoHash begins the hash of every demo password. It costs little, since the
// password is known to all, and it tells demo users from others.
const demoHash = "$argon2id$v=19$m=1024,t=1,p=1$"

type demoUser struct {
	Name     string   `json:"name"`
	Password string   `json:"password"`
	Roles    []string `json:"roles"`

	audience string
}

func demoUsers() []demoUser {
	return []demoUser{
		{"alice", "alice-demo", []string{notifier.RoleStaff}, "user"},
		{"bob", "bob-demo", []string{}, "user"},
		{"carol", "carol-demo", []string{"picker"}, "user"},
		{"dave", "dave-demo", []string{"picker"}, "user"},
		{"erin", "erin-demo", []string{}, "customer"},
	}
}

// addDemoUsers adds those that are missing. fresh is true when nobody was
// there: then there is something to show, see demoNotices.
func addDemoUsers(ctx context.Context, db *store.Store, cfg config) (fresh bool, err error) {
	anybody, err := db.Users(ctx, notifier.UserQuery{Limit: 1})
	if err != nil {
		return false, err
	}
	for _, u := range demoUsers() {
		if _, err = db.UserByName(ctx, u.Name); !errors.Is(err, notifier.ErrNotFound) {
			if err != nil {
				return false, err
			}
			continue
		}
		hash, err := argon2id.CreateHash(u.Password, &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
		if err != nil {
			return false, fmt.Errorf("hash a demo password: %w", err)
		}
		audience, err := audienceOf(u.audience, cfg)
		if err != nil {
			audience = slices.Min(slices.Collect(maps.Keys(cfg.Audiences))) // they have names of their own
		}
		_, err = db.CreateUser(ctx, store.NewUser{Name: u.Name, PasswordHash: hash, Audience: audience, Roles: u.Roles})
		if err != nil && !errors.Is(err, notifier.ErrConflict) { // another instance was quicker
			return false, err
		}
	}
	return len(anybody) == 0, nil
}

// refuseDemo refuses to show demo users, whose passwords are known to all, to
// anybody but this machine: also those that an earlier demonstration left.
func refuseDemo(ctx context.Context, db *store.Store, cfg config, demo bool) error {
	if local(cfg) {
		return nil
	}
	if demo {
		return usageError{errors.New("--demo is for this machine only: its passwords are known to all. " +
			"Give --addr a loopback address such as 127.0.0.1:8080, and no other --public-url")}
	}
	var left []string
	for _, u := range demoUsers() {
		_, hash, err := db.Credentials(ctx, u.Name)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			return err
		}
		if strings.HasPrefix(hash, demoHash) {
			left = append(left, u.Name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("%s still have the passwords of the demonstration: give them others by `carillon user passwd`, or take another database, before others can reach it",
			strings.Join(left, ", "))
	}
	return nil
}

// local says whether only this machine reaches the server.
func local(cfg config) bool {
	host, _, _ := net.SplitHostPort(cfg.Addr)
	return loopback(host) && (cfg.PublicURL == nil || loopback(cfg.PublicURL.Hostname()))
}

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
