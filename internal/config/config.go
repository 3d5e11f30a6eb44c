// Package config reads the configuration of Carillon: the flags, the corresponding variables and keys
// of the configuration file, and the secrets in files. No other package reads the
// environment.
package config

import (
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/tracing"
	"github.com/carillonhq/carillon/notifier"
)

// Flags is the configuration as written by the operator. Every field is text, so that Config can
// list all faults at once. A test compares the fields with the table in docs/settings.md.
type Flags struct {
	ConfigFile              string `name:"config" placeholder:"FILE" help:"A file of settings in TOML, with the names of these flags; flags and the environment take precedence."`
	Addr                    string `placeholder:"HOST:PORT" default:"127.0.0.1:8080" help:"Where the pages are served; port 0 takes a free one. Or a socket, unix:/PATH or unix:/PATH?mode=0660, which needs --public-url."`
	AdminAddr               string `placeholder:"HOST:PORT" help:"Where /metrics and /healthz are served; empty: nowhere."`
	AdminPprof              bool   `default:"false" help:"Also serve Go's profiles at the admin address, below /debug/pprof/."`
	RedisURL                string `placeholder:"URL" secret:"" help:"redis://, rediss://, redis+sentinel://, redis+cluster:// or unix://; empty: the built-in one."`
	RedisPrefix             string `placeholder:"TEXT" default:"carillon:" help:"The prefix of every key in Redis."`
	DatabaseURL             string `placeholder:"URL" secret:"" help:"postgres://…; empty: SQLite in the data directory."`
	DatabaseHost            string `placeholder:"HOST:PORT" help:"The server of PostgreSQL in parts, beside or instead of --database-url; a directory is that of its socket."`
	DatabaseUser            string `placeholder:"NAME" help:"The user of PostgreSQL."`
	DatabaseName            string `placeholder:"NAME" help:"The database of PostgreSQL."`
	DatabasePasswordFile    string `placeholder:"FILE" help:"The file with the password of PostgreSQL. It is read for each new connection, so the password can be changed while the server runs."`
	DataDir                 string `placeholder:"DIR" default:"./data" help:"For SQLite, the built-in Redis and generated keys."`
	SessionKeys             string `placeholder:"HEX,…" secret:"" help:"64 hex digits each: the first signs, all verify; empty: made and kept in the data directory."`
	PublicURL               string `placeholder:"URL" help:"How browsers reach the server; https makes cookies Secure, and a path comes before every address. Empty: http:// and --addr."`
	HSTS                    string `name:"hsts" placeholder:"SCOPE" default:"host" help:"What browsers may reach by https only, for a year, once they have been here (Strict-Transport-Security, if the public URL is https): host, subdomains (and the host), or off."`
	TrustedProxies          string `placeholder:"CIDR,…" help:"Addresses of proxies whose X-Forwarded-For is trusted; empty: none."`
	IdentityHeader          string `placeholder:"NAME" help:"The header in which a proxy says who is signed in, such as X-Forwarded-User; empty: none."`
	IdentityNameHeader      string `placeholder:"NAME" help:"The header with the user's name for people; empty: none."`
	IdentityEmailHeader     string `placeholder:"NAME" help:"The header with the user's mail address; empty: none."`
	IdentityGroupsHeader    string `placeholder:"NAME" help:"The header with the user's groups; empty: none."`
	IdentityGroupsSeparator string `placeholder:"TEXT" default:"auto" help:"What stands between groups in the header: one of , ; | or space. auto: | in the headers of authentik, otherwise a comma."`
	IdentityStaffGroup      string `placeholder:"GROUP" help:"The group whose members are staff; empty: none."`
	IdentityFrom            string `placeholder:"CIDR,…" help:"Addresses of the proxies whose identity headers are believed."`
	IdentityAudience        string `placeholder:"NAME" default:"user" help:"The audience of users who are new in the identity header."`
	OIDCIssuer              string `name:"oidc-issuer" placeholder:"URL" help:"The identity provider that signs users in by OpenID Connect, such as https://login.example.com; empty: none."`
	OIDCClientID            string `name:"oidc-client-id" placeholder:"ID" help:"How the provider knows Carillon."`
	OIDCClientSecret        string `name:"oidc-client-secret" placeholder:"SECRET" secret:"" help:"The secret of this client; empty: a public client."`
	OIDCUserClaim           string `name:"oidc-user-claim" placeholder:"CLAIM" default:"sub" help:"The claim of the ID token that names users."`
	OIDCGroupsClaim         string `name:"oidc-groups-claim" placeholder:"CLAIM" default:"groups" help:"The claim with the groups of a user."`
	OIDCStaffGroup          string `name:"oidc-staff-group" placeholder:"GROUP" help:"The group whose members are staff until they sign in again; empty: none."`
	OIDCEmail               string `name:"oidc-email" placeholder:"BOOL" default:"true" help:"Whether users who have no mail address get the one of the claim email, unless the provider says that it is not verified."`
	OIDCAudience            string `name:"oidc-audience" placeholder:"NAME" default:"user" help:"The audience of users who sign in at the provider for the first time."`
	PasswordLogin           string `placeholder:"BOOL" default:"true" help:"Whether users can sign in with a password; false needs another way."`
	LinkBase                string `placeholder:"URL" help:"Where links of notices that begin with / lead on Carillon's own pages, such as https://shop.example.com; empty: to the host of the page."`
	LinkHosts               string `placeholder:"HOST,…" help:"Hosts that links of notices may name; empty: relative links only."`
	ImageHosts              string `placeholder:"HOST,…" help:"Hosts of the pictures of notices and announcements, with the hosts below them; empty: no pictures."`
	Audiences               string `placeholder:"N=NAME,…" default:"1=operator,2=user,3=customer" help:"The audiences."`
	MaxSeq                  string `placeholder:"N" default:"16000000" help:"The maximum number of users in the directory."`
	InboxCap                string `placeholder:"N" default:"200" help:"The maximum number of entries in an inbox."`
	Keep                    string `placeholder:"TIME" default:"180d" help:"The longest life of a notice, such as 720h or 30d."`
	ToastRetention          string `placeholder:"TIME" default:"24h" help:"How long a toast waits for its user: from 1h to 7d."`
	SMTPURL                 string `name:"smtp-url" placeholder:"URL" secret:"" help:"The server that takes mails: smtps://USER:PASSWORD@HOST, or smtp:// with STARTTLS; empty: no mail."`
	SMTPCA                  string `name:"smtp-ca" placeholder:"FILE" help:"Certificates (PEM) of authorities that the mail server may be certified by, besides those of this machine."`
	MailFrom                string `placeholder:"ADDRESS" help:"The sender of mails: notices@example.com, or Carillon <notices@example.com>."`
	MailDefault             string `placeholder:"WHEN" default:"off" help:"When users who have not chosen get mail: off, daily, or how long a notice is unread before, such as 30m."`
	MailRate                string `placeholder:"N" default:"10" help:"Mails a second, of all instances together."`
	Zone                    string `placeholder:"ZONE" default:"UTC" help:"The time zone of users of whom none is known, for daily mails and quiet hours: an IANA name, such as Asia/Tokyo."`
	Push                    string `placeholder:"WHEN" default:"auto" help:"Tell users on their devices: auto (where browsers reach the server by https or on this machine), on or off."`
	PushContact             string `placeholder:"ADDRESS" help:"How the operators of push services reach you: mailto:ops@example.com or an https URL; empty: the public URL."`
	VAPIDKey                string `name:"vapid-key" placeholder:"KEY" secret:"" help:"The private key that push services know this installation by; empty: made once and kept in SQL."`
	PushHosts               string `placeholder:"HOST,…" help:"Push services besides those of Google, Mozilla, Microsoft and Apple."`
	OutboundAllow           string `placeholder:"CIDR,…" help:"Private networks that pushes, and mails without encryption, may be sent to; empty: none, but mails to this machine."`
	OutboundProxy           string `placeholder:"URL" secret:"" help:"The HTTP proxy through which pushes are sent; empty: directly."`
	Rules                   string `placeholder:"FILE" help:"Rules that watch business databases; empty: none."`
	APIRate                 string `name:"api-rate" placeholder:"N" default:"1000" help:"Requests per second that one API key may make to each instance; 0: no limit."`
	OTLPEndpoint            string `name:"otlp-endpoint" placeholder:"URL" help:"The collector that gets traces by OTLP over HTTP, such as http://127.0.0.1:4318; empty: OTEL_EXPORTER_OTLP_ENDPOINT, or no traces."`
	LogLevel                string `placeholder:"LEVEL" default:"info" help:"debug, info, warn or error."`
	LogFormat               string `placeholder:"FORMAT" default:"text" help:"text, or json: one object per line."`
}

// Config is the parsed configuration.
type Config struct {
	Program        string // the version of this program, which no setting changes
	Addr           string
	AdminAddr      string
	AdminPprof     bool
	HSTS           HSTS
	Redis          Redis // zero: built in
	RedisPrefix    string
	Database       Database
	DataDir        string
	SessionKeys    [][]byte // empty: stored in the data directory
	PublicURL      *url.URL // nil: http:// and the address of the listener
	TrustedProxies []netip.Prefix
	Identity       *Identity // nil: no identity header
	OIDC           *OIDC     // nil: no provider signs users in
	PasswordsOff   bool      // signing in with a password is disabled
	LinkBase       string    // scheme and host; empty: the host of the page
	LinkHosts      []string
	ImageHosts     []string
	Audiences      map[notifier.Audience]string
	MaxSeq         int64
	InboxCap       int
	Keep           time.Duration
	ToastRetention time.Duration
	SMTP           *mail.Server // nil: no mail
	MailFrom       string       // with or without a display name
	MailDefault    notifier.When
	Zone           string            // of users without a zone of their own
	MailRate       int               // mails a second, all instances together
	Push           *Push             // nil: no push
	OutboundAllow  []netip.Prefix    // private networks that may be reached
	OutboundProxy  *url.URL          // nil: none
	Rules          string            // the file; empty: no rules
	APIRate        int               // 0: no limit
	Traces         tracing.Collector // where traces go
	LogLevel       slog.Level
	LogJSON        bool // one JSON object per line instead of text

	Names  []string // of the variables of the environment
	Lookup Lookup   // reads the databases of rules, and the variables of the Go runtime
}

// Config parses the flags. Its error lists every fault on a separate line, starting with the faults of
// the environment. It contains no secrets. Without an error the result is complete.
func (f *Flags) Config(env *Environment) (Config, error) {
	bad := slices.Clone(env.faults)
	c := Config{
		Lookup:         env.Lookup,
		Addr:           bad.listener("--addr", f.Addr),
		RedisPrefix:    bad.prefix("--redis-prefix", f.RedisPrefix),
		Database:       bad.database(f),
		DataDir:        f.DataDir,
		SessionKeys:    bad.keys("--session-keys", f.SessionKeys),
		PublicURL:      bad.publicURL("--public-url", f.PublicURL),
		AdminPprof:     f.AdminPprof,
		HSTS:           bad.hsts("--hsts", f.HSTS),
		TrustedProxies: bad.proxies("--trusted-proxies", f.TrustedProxies),
		LinkBase:       bad.linkBase("--link-base", f.LinkBase),
		LinkHosts:      bad.hosts("--link-hosts", f.LinkHosts),
		ImageHosts:     bad.hosts("--image-hosts", f.ImageHosts),
		Audiences:      bad.audiences("--audiences", f.Audiences),
		MaxSeq:         bad.number("--max-seq", f.MaxSeq, 1, maxBits),
		InboxCap:       int(bad.number("--inbox-cap", f.InboxCap, 1, 10_000)),
		Keep:           bad.Span("--keep", f.Keep, time.Minute),
		ToastRetention: bad.retention("--toast-retention", f.ToastRetention),
		SMTP:           bad.server("--smtp-url", f.SMTPURL, f.SMTPCA),
		MailFrom:       bad.sender("--mail-from", f.MailFrom),
		MailDefault:    bad.when("--mail-default", f.MailDefault),
		Zone:           bad.zone("--zone", f.Zone),
		MailRate:       int(bad.number("--mail-rate", f.MailRate, 1, 10_000)),
		OutboundAllow:  bad.proxies("--outbound-allow", f.OutboundAllow),
		OutboundProxy:  bad.outboundProxy("--outbound-proxy", f.OutboundProxy),
		Rules:          f.Rules,
		APIRate:        int(bad.number("--api-rate", f.APIRate, 0, 1_000_000)),
		LogLevel:       bad.level("--log-level", f.LogLevel),
		LogJSON:        bad.json("--log-format", f.LogFormat),
	}
	if f.AdminAddr != "" {
		c.AdminAddr = bad.address("--admin-addr", f.AdminAddr)
	}
	c.Traces = bad.traces(f.OTLPEndpoint, env.Lookup)
	c.Push = bad.push(&c, f)
	c.Identity = bad.identity(f, c.Audiences)
	c.OIDC = bad.oidc(&c, f)
	if f.SMTPURL != "" && f.MailFrom == "" {
		bad.Add("--mail-from", "must name the sender of mails, such as notices@example.com")
	}
	if f.DataDir == "" {
		bad.Add("--data-dir", "must name a directory")
	}
	if f.RedisURL != "" {
		var err error
		if c.Redis, err = ParseRedis(f.RedisURL); err != nil {
			bad.Add("--redis-url", "%v", err)
		}
	}
	for i := range bad {
		bad[i] = env.located(bad[i])
	}
	return c, bad.Err()
}

// AudienceOf returns the number of the audience with this name.
func (c *Config) AudienceOf(name string) (notifier.Audience, error) {
	for number, known := range c.Audiences {
		if known == name {
			return number, nil
		}
	}
	names := slices.Sorted(maps.Values(c.Audiences))
	return 0, fmt.Errorf("unknown audience %q; the audiences are %s", name, strings.Join(names, ", "))
}

// AudienceNumbers returns the numbers of all audiences in ascending order.
func (c *Config) AudienceNumbers() []notifier.Audience {
	return slices.Sorted(maps.Keys(c.Audiences))
}

// Path returns the path of the public URL, such as /notifications; empty if Carillon uses the whole host.
func (c *Config) Path() string {
	if c.PublicURL == nil {
		return ""
	}
	return c.PublicURL.Path
}

// Secure reports whether browsers reach the server by https, so that cookies must be Secure.
func (c *Config) Secure() bool { return c.PublicURL != nil && c.PublicURL.Scheme == "https" }

// Port returns the port that distinguishes this installation from others on its host; empty: the default port of the
// scheme, or one that is unknown before the start.
func (c *Config) Port() string {
	if c.PublicURL != nil {
		return c.PublicURL.Port()
	}
	_, port, _ := net.SplitHostPort(c.Addr)
	if port == "0" || port == "80" {
		return ""
	}
	return port
}

// Local reports whether the server can only be reached from this machine.
func (c *Config) Local() bool {
	host, _, _ := net.SplitHostPort(c.Addr)
	_, socket := SocketOf(c.Addr)
	return (socket || loopback(host)) && (c.PublicURL == nil || loopback(c.PublicURL.Hostname()))
}

// LinksLocal reports whether links from outside the pages, such as in mails, only work on this machine.
func (c *Config) LinksLocal() bool { return c.PublicURL == nil || loopback(c.PublicURL.Hostname()) }

func loopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}

// split splits a list at commas and white space.
func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
}
