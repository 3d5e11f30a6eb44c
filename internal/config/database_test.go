package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
)

func passwordFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestTheDatabaseMayBeGivenInParts(t *testing.T) {
	t.Parallel()
	const secret = " p@ss/w#r?d:%41&é"
	file := passwordFile(t, secret+"\r\n")
	for name, test := range map[string]struct {
		flags                string
		host, user, database string
		port                 uint16
	}{
		"all parts":    {"--database-host=db.example:6000 --database-name=notices --database-user=shop", "db.example", "shop", "notices", 6000},
		"IPv6":         {"--database-host=[::1] --database-name=no/ti?ces --database-user=sh@op:x", "::1", "sh@op:x", "no/ti?ces", 5432},
		"two hosts":    {"--database-host=one:6000,two:6001 --database-name=notices --database-user=shop", "one", "shop", "notices", 6000},
		"a socket":     {"--database-host=/run/postgresql --database-name=notices --database-user=shop", "/run/postgresql", "shop", "notices", 5432},
		"beside a URL": {"--database-url=postgres://shop@db.example/notices?sslmode=disable", "db.example", "shop", "notices", 5432},
		"most in URL":  {"--database-url=postgresql:///?user=shop&host=/run/pg --database-name=notices", "/run/pg", "shop", "notices", 5432},
	} {
		c, err := parse(t, nil, append(strings.Fields(test.flags), "--database-password-file="+file)...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := pgx.ParseConfig(c.Database.URL)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Host != test.host || got.Port != test.port || got.User != test.user || got.Database != test.database || got.Password != secret {
			t.Errorf("%s: %q:%d %q %q %q", name, got.Host, got.Port, got.User, got.Database, got.Password)
		}
		if again, err := c.Database.Password()(); err != nil || again != secret {
			t.Errorf("%s: again %q, %v", name, again, err)
		}
	}
	if c, err := parse(t, nil); err != nil || c.Database.URL != "" || c.Database.Password() != nil {
		t.Errorf("without parts: %+v, %v", c.Database, err)
	}
}

func TestFaultsOfTheDatabaseNameTheSettingAndNoSecret(t *testing.T) {
	t.Parallel()
	file, blank := passwordFile(t, "hunter2\n"), passwordFile(t, "\n")
	for _, test := range [][2]string{
		{"--database-host=postgres://shop:hunter2@db --database-name=n", "--database-host: must be HOST"},
		{"--database-host=shop:hunter2@db --database-name=n", "--database-host: must be HOST"},
		{"--database-host=db:port --database-name=n", "--database-host: must be HOST"},
		{"--database-host=::1 --database-name=n", "--database-host: must be HOST"},
		{"--database-host=one,,two --database-name=n", "--database-host: must be HOST"},
		{"--database-name=n", "--database-host: must name the server"},
		{"--database-user=shop --database-host=db", "--database-name: must name the database"},
		{"--database-url=postgres://db/x --database-host=db", "--database-host: --database-url sets it, too"},
		{"--database-url=postgres://db/x --database-name=n", "--database-name: --database-url sets it, too"},
		{"--database-url=postgres://db/?user=x --database-user=n", "--database-user: --database-url sets it, too"},
		{"--database-url=postgres://u:hunter2@db/x --database-password-file=" + file, "--database-password-file: --database-url sets it, too"},
		{"--database-url=postgres://u:hun/ter2@db/x --database-user=n", "write @ as %40"},
		{"--database-url=mysql://u:hunter2@db/x --database-user=n", "must begin with postgres://"},
		{"--database-url=postgres://u@db/x --database-password-file=/nowhere/hunter", "--database-password-file: cannot be read"},
		{"--database-url=postgres://u@db/x --database-password-file=" + blank, "--database-password-file: is empty"},
	} {
		flags, want := test[0], test[1]
		if _, err := parse(t, nil, strings.Fields(flags)...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", flags, err, want)
		}
	}
}
