package config

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// written returns the name of a configuration file with this text.
func written(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestFlagsTakePrecedenceOverVariablesAndThoseOverTheFile(t *testing.T) {
	t.Parallel()
	name := written(t, "inbox-cap = 50\n'max-seq' = \"1_000\"\nkeep = '30d' # a month\ntrusted-proxies = ['127.0.0.1', '10.0.0.0/8']\n")
	for _, by := range []struct {
		env  map[string]string
		args []string
	}{
		{map[string]string{"CARILLON_MAX_SEQ": "2000", "CARILLON_INBOX_CAP": "60"}, []string{"--config", name, "--inbox-cap=70"}},
		{map[string]string{"CARILLON_MAX_SEQ": "2000", "CARILLON_INBOX_CAP": "60", "CARILLON_CONFIG": name}, []string{"--inbox-cap=70"}},
		{map[string]string{"CARILLON_MAX_SEQ": "2000", "CARILLON_CONFIG": "/none"}, []string{"--inbox-cap=70", "--config=" + name}},
	} {
		c, err := parse(t, by.env, by.args...)
		if err != nil {
			t.Fatal(err)
		}
		if c.InboxCap != 70 || c.MaxSeq != 2000 || c.Keep.Hours() != 720 {
			t.Errorf("%v: inbox cap %d, max seq %d, keep %v", by, c.InboxCap, c.MaxSeq, c.Keep)
		}
		want := []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8")}
		if !slices.Equal(c.TrustedProxies, want) {
			t.Errorf("%v: trusted proxies %v", by, c.TrustedProxies)
		}
	}
}

func TestFaultsOfTheFileNameTheirLines(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"# settings\n\npublik-url = 'http://a'\ninbox_cap = 3": {`line 3: unknown key "publik-url"; did you mean "public-url"?`, `line 4: unknown key "inbox_cap"; did you mean "inbox-cap"?`},
		"colour = 'red'":                       {`line 1: unknown key "colour"`},
		"addr = ':1'\nconfig = 'other'":        {`line 2: unknown key "config"`},
		"addr = ':1'\n[redis]\nurl = 'a'":      {`line 2: unknown key "redis"`},
		"addr = ':1'\n[api-rate]\nburst = 'a'": {`line 2: api-rate must be a text, a number, or a list`},
		"addr = ':1'\nkeep = 1.5\nrules=true":  {`line 2: keep must be`, `line 3: rules must be`},
		"addr = ':1'\naddr = ':2'":             {"line 2: ", "addr"},
		"addr = ':1'\naudiences = [['1=a']]":   {"line 2: audiences must be"},
		"addr: 127.0.0.1:80":                   {"line 1: "},
		"addr = ':1'\n\ninbox-cap = 'many'":    {`line 3): "many" is not a number`},
		"session-keys = 'hunter2'":             {"--session-keys", "line 1): key 1 must be"},
		"database-url = 'mysql://hunter2'\n":   {"--database-url", "line 1): must begin with"},
	} {
		name := written(t, text)
		_, err := parse(t, nil, "--config", name)
		if err == nil {
			t.Errorf("%q: no fault", text)
			continue
		}
		for _, words := range append(want, name) {
			if !strings.Contains(err.Error(), words) {
				t.Errorf("%q: no %q in: %v", text, words, err)
			}
		}
		if strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), `colour"; did`) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := parse(t, nil, "--config", "/none"); err == nil || !strings.Contains(err.Error(), "--config: open /none") {
		t.Errorf("a missing file: %v", err)
	}
}

// What is printed is a configuration file with the same meaning, secrets aside.
func TestTheSettingsInForceSayWhereTheyComeFrom(t *testing.T) {
	t.Parallel()
	name := written(t, "\ninbox-cap = 50\naudiences = ['1=a', '2=user']\nredis-url = 'redis://:hunter2@host'")
	env := map[string]string{"CARILLON_MAX_SEQ": "2000", "CARILLON_SESSION_KEYS": strings.Repeat("5e", KeyBytes)}
	printed := func(args ...string) (_ string, from map[string]string) {
		var f Flags
		e := &Environment{Lookup: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
		parser, err := kong.New(&f, kong.Resolvers(e))
		if err == nil {
			_, err = parser.Parse(args)
		}
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		from = map[string]string{}
		for _, s := range f.Settings(e) {
			lines = append(lines, s.String())
			if s.From != "default" {
				from[s.Name] = s.Value + " by " + s.From
			}
		}
		return strings.Join(lines, "\n"), from
	}
	text, from := printed("--config", name, "--keep=30d")
	want := map[string]string{
		"config": name + " by command line", "keep": "30d by command line", "max-seq": "2000 by CARILLON_MAX_SEQ", "session-keys": "(hidden) by CARILLON_SESSION_KEYS",
		"inbox-cap": "50 by " + name + ", line 2", "audiences": "1=a,2=user by " + name + ", line 3", "redis-url": "(hidden) by " + name + ", line 4",
	}
	if diff := cmp.Diff(want, from); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(text, "hunter2") || strings.Contains(text, "5e5e") {
		t.Errorf("a secret is in:\n%s", text)
	}
	env = nil
	again, _ := printed("--config", written(t, text))
	for _, line := range []string{`inbox-cap = "50"`, `keep = "30d"`, `max-seq = "2000"`, `audiences = "1=a,2=user"`, `# link-base = ""`} {
		if !strings.Contains(again, "\n"+line+" ") {
			t.Errorf("no %s in:\n%s", line, again)
		}
	}
}
