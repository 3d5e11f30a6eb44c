package config

import (
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// parse parses a configuration from flags and an environment.
func parse(t *testing.T, env map[string]string, args ...string) (Config, error) {
	t.Helper()
	var f Flags
	e := &Environment{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	parser, err := kong.New(&f, kong.Resolvers(e))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = parser.Parse(args); err != nil {
		t.Fatal(err)
	}
	return f.Config(e)
}

func TestTheDefaultsAreAValidConfiguration(t *testing.T) {
	t.Parallel()
	c, err := parse(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Redis.BuiltIn() || c.Database.URL != "" || c.Addr != "127.0.0.1:8080" || c.Keep != notifier.DefaultKeep {
		t.Errorf("the defaults are %+v", c)
	}
	want := map[notifier.Audience]string{1: "operator", 2: "user", 3: "customer"}
	if diff := cmp.Diff(want, c.Audiences); diff != "" {
		t.Error(diff)
	}
}

func TestAFlagTakesPrecedenceOverItsVariable(t *testing.T) {
	t.Parallel()
	env := map[string]string{"CARILLON_INBOX_CAP": "50", "CARILLON_MAX_SEQ": "1_000", "CARILLON_KEEP": ""}
	c, err := parse(t, env, "--inbox-cap=60", "--trusted-proxies=127.0.0.1, 10.0.0.0/8", "--link-hosts=Shop.example.com")
	if err != nil {
		t.Fatal(err)
	}
	if c.InboxCap != 60 || c.MaxSeq != 1000 || c.Keep != notifier.DefaultKeep {
		t.Errorf("inbox cap %d, max seq %d, keep %v", c.InboxCap, c.MaxSeq, c.Keep)
	}
	proxies := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
	if len(c.TrustedProxies) != 2 || c.TrustedProxies[0] != proxies[0] || c.TrustedProxies[1] != proxies[1] {
		t.Errorf("trusted proxies %v", c.TrustedProxies)
	}
	if diff := cmp.Diff([]string{"shop.example.com"}, c.LinkHosts); diff != "" {
		t.Error(diff)
	}
}

func TestASecretMayBeInAFile(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("ab", KeyBytes)
	file := filepath.Join(t.TempDir(), "keys")
	if err := os.WriteFile(file, []byte(key+",\n"+key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := parse(t, map[string]string{"CARILLON_SESSION_KEYS_FILE": file})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.SessionKeys) != 2 || len(c.SessionKeys[0]) != KeyBytes {
		t.Errorf("keys %x", c.SessionKeys)
	}
	if _, err = parse(t, map[string]string{"CARILLON_SESSION_KEYS_FILE": file + ".gone"}); err == nil {
		t.Error("a missing file is not a fault")
	}
	// Only secrets may be in files.
	if c, err = parse(t, map[string]string{"CARILLON_ADDR_FILE": file}); err != nil || c.Addr != "127.0.0.1:8080" {
		t.Errorf("addr %q, %v", c.Addr, err)
	}
}

func TestToastsWaitFromAnHourToAWeek(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"": 24 * time.Hour, "1h": time.Hour, "90m": 90 * time.Minute, "7d": 7 * 24 * time.Hour} {
		if c, err := parse(t, map[string]string{"CARILLON_TOAST_RETENTION": text}); err != nil || c.ToastRetention != want {
			t.Errorf("%q: %v, %v; want %v", text, c.ToastRetention, err, want)
		}
	}
	for _, text := range []string{"0", "59m59s", "168h1s", "8d", "-1h", "soon"} {
		if c, err := parse(t, nil, "--toast-retention="+text); err == nil || !strings.Contains(err.Error(), "--toast-retention") {
			t.Errorf("%q: %v, %v", text, c.ToastRetention, err)
		}
	}
}

func TestThePublicURLMayHaveAPath(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://a.example": "", "https://a.example/": "", "https://a.example/notifications/": "/notifications", "http://a.example:81/a/b-1.2": "/a/b-1.2",
	} {
		if c, err := parse(t, nil, "--public-url="+text); err != nil || c.Path() != want {
			t.Errorf("%q: %q, %v; want %q", text, c.Path(), err, want)
		}
	}
	for _, text := range []string{"https://a.example//b", "https://a.example/../b", "https://a.example/%2e%2e/b", "https://a.example/a;b", "https://a.example/a b", "https://a.example/é", "/notifications/", "https://a.example/b?c"} {
		if _, err := parse(t, nil, "--public-url="+text); err == nil || !strings.Contains(err.Error(), "--public-url") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestThePublicURLIsWrittenAsBrowsersDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://Notices.Example.COM": "https://notices.example.com", "HTTPS://a.example:443/": "https://a.example", "http://a.example:80": "http://a.example",
		"http://a.example:443": "http://a.example:443", "https://bücher.example": "https://xn--bcher-kva.example", "http://[::1]:8080": "http://[::1]:8080", "http://[FE80::1]": "http://[fe80::1]",
		"http://my_host:81": "http://my_host:81",
	} {
		if c, err := parse(t, nil, "--public-url="+text); err != nil || c.PublicURL.String() != want {
			t.Errorf("%q: %v, %v; want %q", text, c.PublicURL, err, want)
		}
	}
}

func TestTheLinkBaseIsAHost(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"": "", "https://shop.example.com": "https://shop.example.com", "http://shop.example.com:81/": "http://shop.example.com:81"} {
		if c, err := parse(t, nil, "--link-base="+text); err != nil || c.LinkBase != want {
			t.Errorf("%q: %q, %v; want %q", text, c.LinkBase, err, want)
		}
	}
	for _, text := range []string{"shop.example.com", "https://shop.example.com/path", "ftp://shop.example.com", "https://", "https://u:p@shop.example.com", "javascript:alert(1)"} {
		if _, err := parse(t, nil, "--link-base="+text); err == nil || !strings.Contains(err.Error(), "--link-base") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
