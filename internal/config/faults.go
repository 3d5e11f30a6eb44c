package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/carillonhq/carillon/notifier"
)

// maxBits is the maximum number of bits in a Redis string. A user's seq is a bit of an
// announcement's bitmap, so this is also the highest seq.
const maxBits = 1<<32 - 1

// Faults collects the faults of a configuration or a command as sentences. Its parsers add a fault if the
// text is invalid, and return a value that is used only if there are no faults.
type Faults []string

// Add adds a fault of one flag.
func (f *Faults) Add(flag, format string, args ...any) {
	*f = append(*f, flag+": "+fmt.Sprintf(format, args...))
}

// Err returns nil if there are no faults, else one error that lists all of them.
func (f *Faults) Err() error {
	switch len(*f) {
	case 0:
		return nil
	case 1:
		return errors.New((*f)[0])
	}
	return fmt.Errorf("%d settings are wrong:\n  %s", len(*f), strings.Join(*f, "\n  "))
}

func (f *Faults) address(flag, s string) string {
	_, port, err := net.SplitHostPort(s)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		f.Add(flag, "%q is not HOST:PORT, such as 127.0.0.1:8080", s)
	}
	return s
}

func (f *Faults) prefix(flag, s string) string {
	if s == "" || strings.ContainsAny(s, "{} \t\n") || len(s) > 64 {
		f.Add(flag, "%q must be 1 to 64 bytes without braces and spaces: braces would change the hash slots of keys in a cluster", s)
	}
	return s
}

func (f *Faults) keys(flag, s string) [][]byte {
	var keys [][]byte
	for i, text := range split(s) {
		key, err := hex.DecodeString(text)
		if err != nil || len(key) != KeyBytes {
			f.Add(flag, "key %d must be %d hex digits (openssl rand -hex %d)", i+1, 2*KeyBytes, KeyBytes)
			continue
		}
		keys = append(keys, key)
	}
	return keys
}

// publicPath matches the path of a public URL: no segment begins with a dot.
var publicPath = regexp.MustCompile(`\A(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*/?\z`)

func (f *Faults) publicURL(flag, s string) *url.URL {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" ||
		!publicPath.MatchString(u.EscapedPath()) || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		f.Add(flag, "%q is not http(s)://HOST[:PORT][/PATH/], where PATH is of letters, digits and ._~-", s)
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: originHost(u), Path: strings.TrimRight(u.Path, "/")}
}

// originHost returns the host of an address as browsers write it in an Origin: in ASCII, in lower case, and without the
// default port.
func originHost(u *url.URL) string {
	host, port := strings.ToLower(u.Hostname()), u.Port()
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port == "" || port == "80" && u.Scheme == "http" || port == "443" && u.Scheme == "https" {
		return host
	}
	return host + ":" + port
}

// linkBase returns an address without its last slash. Links that begin with a slash would replace a path.
func (f *Faults) linkBase(flag, s string) string {
	if s == "" {
		return ""
	}
	var bad Faults
	if u := bad.publicURL(flag, s); u != nil && u.Path == "" {
		return u.String()
	}
	f.Add(flag, "%q is not http(s)://HOST[:PORT]", s)
	return ""
}

func (f *Faults) proxies(flag, s string) []netip.Prefix {
	var all []netip.Prefix
	for _, text := range split(s) {
		if addr, err := netip.ParseAddr(text); err == nil {
			all = append(all, netip.PrefixFrom(addr, addr.BitLen()))
			continue
		}
		prefix, err := netip.ParsePrefix(text)
		if err != nil {
			f.Add(flag, "%q is not an address or a range such as 10.0.0.0/8", text)
			continue
		}
		all = append(all, prefix)
	}
	return all
}

func (f *Faults) hosts(flag, s string) []string {
	host := regexp.MustCompile(`\A[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:[0-9]{1,5})?\z`)
	all := split(strings.ToLower(s))
	for _, text := range all {
		if !host.MatchString(text) {
			f.Add(flag, "%q is not a host name, such as shop.example.com", text)
		}
	}
	return all
}

func (f *Faults) audiences(flag, s string) map[notifier.Audience]string {
	name := regexp.MustCompile(`\A[a-z][a-z0-9_-]{0,31}\z`)
	all, used := map[notifier.Audience]string{}, map[string]bool{}
	for _, text := range split(s) {
		number, word, _ := strings.Cut(text, "=")
		n, err := strconv.ParseUint(number, 10, 8)
		switch {
		case err != nil || n == 0 || !name.MatchString(word):
			f.Add(flag, "%q is not NUMBER=name, with a number from 1 to 255", text)
		case all[notifier.Audience(n)] != "" || used[word]:
			f.Add(flag, "%q names a number or a name twice", text)
		default:
			all[notifier.Audience(n)], used[word] = word, true
		}
	}
	if s = strings.TrimSpace(s); s == "" {
		f.Add(flag, "must name at least one audience")
	}
	return all
}

func (f *Faults) number(flag, s string, low, high int64) int64 {
	n, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 10, 64)
	if err != nil || n < low || n > high {
		f.Add(flag, "%q is not a number from %d to %d", s, low, high)
	}
	return n
}

// Span parses a duration of at least low.
func (f *Faults) Span(flag, s string, low time.Duration) time.Duration {
	d, err := notifier.ParseSpan(s)
	if err != nil || d < low {
		f.Add(flag, "%q is not a time of at least %s, such as 72h or 30d", s, low)
	}
	return d
}

// retention parses the retention of toasts. Less than an hour would clear toasts that are still to be
// shown; toasts older than a week are obsolete, and Redis stores all of them until then.
func (f *Faults) retention(flag, s string) time.Duration {
	d, err := notifier.ParseSpan(s)
	if err != nil || d < notifier.MaxToastAge || d > 7*24*time.Hour {
		f.Add(flag, "%q is not a time from 1h to 7d", s)
	}
	return d
}

func (f *Faults) level(flag, s string) slog.Level {
	switch level := slog.Level(0); strings.ToLower(s) {
	case "debug", "info", "warn", "error":
		_ = level.UnmarshalText([]byte(s)) // valid: one of the four
		return level
	default:
		f.Add(flag, "%q is not debug, info, warn or error", s)
		return slog.LevelInfo
	}
}

// json reports whether a log format is json.
func (f *Faults) json(flag, s string) bool {
	s = strings.ToLower(s)
	if s != "text" && s != "json" {
		f.Add(flag, "%q is not text or json", s)
	}
	return s == "json"
}
