package config

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/address"
)

// Redis selects the Redis to use: one of the three fields is set, or none for the built-in Redis.
type Redis struct {
	node     *redis.Options
	sentinel *redis.FailoverOptions
	cluster  *redis.ClusterOptions
}

// ErrNoRedis means that the built-in Redis is not running. It runs only while a server does.
var ErrNoRedis = errors.New("no server runs on this data directory, and --redis-url is not set")

// BuiltIn reports whether the built-in Redis is used.
func (r Redis) BuiltIn() bool { return r == Redis{} }

// Open creates a client, which connects when it is first used. If onConnect is not nil, it is
// called for each new connection and may reject it. Open must not be called for the built-in
// Redis: parse the URL of the running one instead.
func (r Redis) Open(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
	rdb := r.client(onConnect)
	rdb.AddHook(attributed{})
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		cluster.OnNewNode(func(node *redis.Client) { node.AddHook(attributed{}) })
	}
	return rdb
}

func (r Redis) client(onConnect func(context.Context, *redis.Conn) error) redis.UniversalClient {
	switch {
	case r.cluster != nil:
		o := *r.cluster
		o.OnConnect = onConnect
		return redis.NewClusterClient(&o)
	case r.sentinel != nil:
		o := *r.sentinel
		o.OnConnect = onConnect
		return redis.NewFailoverClient(&o)
	default:
		o := *r.node
		o.OnConnect = onConnect
		return redis.NewClient(&o)
	}
}

// ParseRedis parses
//
//	redis://[USER:PASSWORD@]HOST[:PORT][/DB]        rediss:// with TLS
//	unix://[USER:PASSWORD@]/PATH[?db=DB]
//	redis+sentinel://[USER:PASSWORD@]HOST:PORT,…/MASTER[/DB]
//	redis+cluster://[USER:PASSWORD@]HOST:PORT,…     rediss+… with TLS
//
// each with the options of go-redis as a query. Its errors contain no part of the URL, which may
// contain a password.
func ParseRedis(raw string) (Redis, error) {
	if err := address.Check(raw); err != nil {
		return Redis{}, err
	}
	scheme, rest, _ := strings.Cut(raw, "://")
	transport, kind, _ := strings.Cut(scheme, "+")
	if transport == "unix" && kind == "" {
		return parseNode(raw)
	}
	if transport != "redis" && transport != "rediss" {
		return Redis{}, errScheme
	}
	switch kind {
	case "":
		return parseNode(raw)
	case "sentinel":
		return parseSentinel(transport, rest)
	case "cluster":
		return parseCluster(transport, rest)
	}
	return Redis{}, errScheme
}

var errScheme = errors.New("must begin with redis://, rediss://, redis+sentinel://, redis+cluster:// or unix://")

func parseNode(raw string) (Redis, error) {
	o, err := redis.ParseURL(raw)
	if err != nil {
		return Redis{}, err
	}
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	return Redis{node: o}, nil
}

func parseSentinel(transport, rest string) (Redis, error) {
	u, err := severalHosts(transport, rest)
	if err != nil {
		return Redis{}, err
	}
	master, db, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if master == "" {
		return Redis{}, errors.New("needs the master's name: redis+sentinel://HOST:PORT,…/MASTER")
	}
	q := u.Query()
	q.Set("master_name", master)
	// The user and password before the @ are for Redis; those for Sentinel are in the query.
	user, password := u.User.Username(), ""
	if u.User != nil {
		password, _ = u.User.Password()
	}
	sentinelUser, sentinelPassword := q.Get("sentinel_username"), q.Get("sentinel_password")
	q.Del("sentinel_username")
	q.Del("sentinel_password")
	u.User, u.Path, u.RawQuery = nil, "/"+db, q.Encode()
	o, err := redis.ParseFailoverURL(u.String())
	if err != nil {
		return Redis{}, err
	}
	o.Username, o.Password = user, password
	o.SentinelUsername, o.SentinelPassword = sentinelUser, sentinelPassword
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	return Redis{sentinel: o}, nil
}

func parseCluster(transport, rest string) (Redis, error) {
	u, err := severalHosts(transport, rest)
	if err != nil {
		return Redis{}, err
	}
	if strings.Trim(u.Path, "/") != "" {
		return Redis{}, errors.New("a cluster has no database number")
	}
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return Redis{}, err
	}
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	// By default the client notices a failover only after a minute of errors.
	o.ClusterStateReloadInterval = time.Second
	return Redis{cluster: o}, nil
}

// failFast prevents pages from waiting for an unavailable Redis: by default go-redis dials five times,
// and again for each retry. Options in the URL take precedence.
func failFast(timeout *time.Duration, retries *int) {
	if *timeout == 0 {
		*timeout = 2 * time.Second
	}
	if *retries == 0 {
		*retries = 1
	}
}

// severalHosts parses a URL with several hosts. It moves all but the first to the query, where
// go-redis expects them.
func severalHosts(transport, rest string) (*url.URL, error) {
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	at := strings.LastIndex(authority, "@") + 1
	hosts := strings.Split(authority[at:], ",")
	u, err := url.Parse(transport + "://" + authority[:at] + hosts[0] + tail)
	if err != nil {
		return nil, address.ErrUnreadable
	}
	if u.Host == "" {
		return nil, errors.New("names no host")
	}
	q := u.Query()
	for i, host := range hosts[1:] {
		if _, err = url.Parse(transport + "://" + host); err != nil || host == "" {
			return nil, fmt.Errorf("host %d is not HOST:PORT", i+2)
		}
		q.Add("addr", host)
	}
	u.RawQuery = q.Encode()
	return u, nil
}
