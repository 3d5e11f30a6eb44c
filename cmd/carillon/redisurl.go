package main

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// parseRedisURL reads
//
//	redis://[USER:PASSWORD@]HOST[:PORT][/DB]        rediss:// with TLS
//	unix://[USER:PASSWORD@]/PATH[?db=DB]
//	redis+sentinel://[USER:PASSWORD@]HOST:PORT,…/MASTER[/DB]
//	redis+cluster://[USER:PASSWORD@]HOST:PORT,…     rediss+… with TLS
//
// each with go-redis's options as a query. Its errors repeat nothing of the
// URL, which may hold a password.
func parseRedisURL(raw string) (redisTarget, error) {
	scheme, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return redisTarget{}, errUnreadable
	}
	transport, kind, _ := strings.Cut(scheme, "+")
	if transport == "unix" && kind == "" {
		return parseNode(raw)
	}
	if transport != "redis" && transport != "rediss" {
		return redisTarget{}, errScheme
	}
	switch kind {
	case "":
		return parseNode(raw)
	case "sentinel":
		return parseSentinel(transport, rest)
	case "cluster":
		return parseCluster(transport, rest)
	}
	return redisTarget{}, errScheme
}

var (
	errScheme     = errors.New("must begin with redis://, rediss://, redis+sentinel://, redis+cluster:// or unix://")
	errUnreadable = errors.New("cannot be read as a URL; special characters of a password are written as %40 and so on")
)

func parseNode(raw string) (redisTarget, error) {
	if _, err := url.Parse(raw); err != nil {
		return redisTarget{}, errUnreadable
	}
	o, err := redis.ParseURL(raw)
	if err != nil {
		return redisTarget{}, err
	}
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	return redisTarget{node: o}, nil
}

func parseSentinel(transport, rest string) (redisTarget, error) {
	u, err := severalHosts(transport, rest)
	if err != nil {
		return redisTarget{}, err
	}
	master, db, _ := strings.Cut(strings.Trim(u.Path, "/"), "/")
	if master == "" {
		return redisTarget{}, errors.New("needs the master's name: redis+sentinel://HOST:PORT,…/MASTER")
	}
	q := u.Query()
	q.Set("master_name", master)
	// What stands before the @ is for Redis; Sentinel's own is in the query.
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
		return redisTarget{}, err
	}
	o.Username, o.Password = user, password
	o.SentinelUsername, o.SentinelPassword = sentinelUser, sentinelPassword
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	return redisTarget{sentinel: o}, nil
}

func parseCluster(transport, rest string) (redisTarget, error) {
	u, err := severalHosts(transport, rest)
	if err != nil {
		return redisTarget{}, err
	}
	if strings.Trim(u.Path, "/") != "" {
		return redisTarget{}, errors.New("a cluster has no database number")
	}
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return redisTarget{}, err
	}
	o.ContextTimeoutEnabled = true
	failFast(&o.DialTimeout, &o.DialerRetries)
	// By default a failover is noticed after a minute of errors.
	o.ClusterStateReloadInterval = time.Second
	return redisTarget{cluster: o}, nil
}

// failFast keeps pages from waiting for a Redis that is away, unless the URL
// asks for patience: go-redis dials five times, and again for each retry.
func failFast(timeout *time.Duration, retries *int) {
	if *timeout == 0 {
		*timeout = 2 * time.Second
	}
	if *retries == 0 {
		*retries = 1
	}
}

// severalHosts moves all hosts but the first into the query, where go-redis
// looks for them.
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
		return nil, errUnreadable
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
