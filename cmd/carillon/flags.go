package main

import (
	"log/slog"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// flags is the configuration as it is written: text, so that every fault of it
// can be told at once. The README's table lists the same.
type flags struct {
	Addr           string `placeholder:"HOST:PORT" default:"127.0.0.1:8080" help:"Where the pages are served; port 0 takes a free one."`
	AdminAddr      string `placeholder:"HOST:PORT" help:"Where /metrics and /healthz are served; empty: nowhere."`
	RedisURL       string `placeholder:"URL" secret:"" help:"redis://, rediss://, redis+sentinel://, redis+cluster:// or unix://; empty: the built-in one."`
	RedisPrefix    string `placeholder:"TEXT" default:"carillon:" help:"Before every key in Redis."`
	DatabaseURL    string `placeholder:"URL" secret:"" help:"postgres://…; empty: SQLite in the data directory."`
	DataDir        string `placeholder:"DIR" default:"./data" help:"For SQLite, the built-in Redis and generated keys."`
	SessionKeys    string `placeholder:"HEX,…" secret:"" help:"64 hex digits each: the first signs, all verify; empty: made and kept in the data directory."`
	PublicURL      string `placeholder:"URL" help:"How browsers reach the server; https makes cookies Secure. Empty: http:// and --addr."`
	TrustedProxies string `placeholder:"CIDR,…" help:"Addresses of proxies whose X-Forwarded-For is believed; empty: none."`
	LinkHosts      string `placeholder:"HOST,…" help:"Hosts that links of notices may name; empty: relative links only."`
	Audiences      string `placeholder:"N=NAME,…" default:"1=operator,2=user,3=customer" help:"The audiences."`
	MaxSeq         string `placeholder:"N" default:"16000000" help:"The most users that the directory takes."`
	InboxCap       string `placeholder:"N" default:"200" help:"The most entries that an inbox keeps."`
	Keep           string `placeholder:"TIME" default:"180d" help:"The longest life of a notice, such as 720h or 30d."`
	ToastRetention string `placeholder:"TIME" default:"24h" help:"How long a pop-up waits for its user: from 1h to 7d."`
	Rules          string `placeholder:"FILE" help:"Rules that watch business databases; empty: none."`
	APIRate        string `name:"api-rate" placeholder:"N" default:"1000" help:"Requests a second that one API key may make, of each instance; 0: any number."`
	LogLevel       string `placeholder:"LEVEL" default:"info" help:"debug, info, warn or error."`
}

// config is the configuration as it is used.
type config struct {
	Addr           string
	AdminAddr      string
	Redis          redisTarget // zero: built in
	RedisPrefix    string
	DatabaseURL    string
	DataDir        string
	SessionKeys    [][]byte // none: kept in the data directory
	PublicURL      *url.URL // nil: by the address that is listened on
	TrustedProxies []netip.Prefix
	LinkHosts      []string
	Audiences      map[notifier.Audience]string
	MaxSeq         int64
	InboxCap       int
	Keep           time.Duration
	ToastRetention time.Duration
	Rules          string // empty: none
	APIRate        int    // 0: any number
	LogLevel       slog.Level

	lookup func(string) (string, bool) // the environment, in which rules name their databases
}

// config reads the texts. Its error lists every fault, those found before among
// them, one a line; it repeats no secret.
func (f *flags) config(found []string) (config, error) {
	bad := faults(found)
	c := config{
		Addr:           bad.address("--addr", f.Addr),
		RedisPrefix:    bad.prefix("--redis-prefix", f.RedisPrefix),
		DatabaseURL:    bad.database("--database-url", f.DatabaseURL),
		DataDir:        f.DataDir,
		SessionKeys:    bad.keys("--session-keys", f.SessionKeys),
		PublicURL:      bad.publicURL("--public-url", f.PublicURL),
		TrustedProxies: bad.proxies("--trusted-proxies", f.TrustedProxies),
		LinkHosts:      bad.hosts("--link-hosts", f.LinkHosts),
		Audiences:      bad.audiences("--audiences", f.Audiences),
		MaxSeq:         bad.number("--max-seq", f.MaxSeq, 1, maxBits),
		InboxCap:       int(bad.number("--inbox-cap", f.InboxCap, 1, 10_000)),
		Keep:           bad.span("--keep", f.Keep, time.Minute),
		ToastRetention: bad.retention("--toast-retention", f.ToastRetention),
		Rules:          f.Rules,
		APIRate:        int(bad.number("--api-rate", f.APIRate, 0, 1_000_000)),
		LogLevel:       bad.level("--log-level", f.LogLevel),
	}
	if f.AdminAddr != "" {
		c.AdminAddr = bad.address("--admin-addr", f.AdminAddr)
	}
	if f.DataDir == "" {
		bad.add("--data-dir", "must name a directory")
	}
	if f.RedisURL != "" {
		var err error
		if c.Redis, err = parseRedisURL(f.RedisURL); err != nil {
			bad.add("--redis-url", "%v", err)
		}
	}
	return c, bad.err()
}

// split cuts a list at its commas.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
}
