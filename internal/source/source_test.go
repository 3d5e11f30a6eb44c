package source_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/source"
	"github.com/carillonhq/carillon/internal/sqltest"
)

func TestMain(m *testing.M) { sqltest.Main(m) }

func TestAddressesOfMySQL(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		"mysql://shop:secret@db.example/orders":                       `shop secret tcp db.example:3306 orders "preferred" '+00:00'`,
		"mariadb://shop@db.example:3307/orders?tls=true":              `shop  tcp db.example:3307 orders "true" '+00:00'`,
		"mysql://shop:p%40ss%2Fw%23rd%25@[::1]:3307/orders?tls=false": `shop p@ss/w#rd% tcp [::1]:3307 orders "false" '+00:00'`,
		"mysql://shop:s@/orders?socket=/run/mysqld/mysqld.sock":       `shop s unix /run/mysqld/mysqld.sock orders "" '+00:00'`,
		"mysql://shop:s@db.example/orders?time_zone=%2B02:00":         `shop s tcp db.example:3306 orders "preferred" '+02:00'`,
		"mysql://shop:s@db.example/orders?time_zone=Europe/Amsterdam": `shop s tcp db.example:3306 orders "preferred" 'Europe/Amsterdam'`,
		"mysql://shop:p@ss@db.example/orders":                         `shop p@ss tcp db.example:3306 orders "preferred" '+00:00'`,
	} {
		s, err := source.Parse(raw)
		if err != nil || s.Dialect() != source.MySQL {
			t.Errorf("%s: %v", raw, err)
		} else if got := s.Reaches(); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
	for raw, want := range map[string]string{
		"mysql://shop:hun/ter2@db.example/orders":                 "%2F",
		"mysql://shop:hun#ter2@db.example/orders":                 "%23",
		"mysql://shop:hunter2@db.example:port/orders":             "number",
		"mysql://shop:hunter2@db.example":                         "mysql://USER@HOST/DATABASE",
		"mysql://db.example/orders":                               "mysql://USER@HOST/DATABASE",
		"mysql://shop:hunter2@/orders":                            "mysql://USER@HOST/DATABASE",
		"mysql://shop:hunter2@db.example/orders?tls=sure":         "tls must be",
		"mysql://shop:hunter2@db.example/orders?parseTime=true":   "unknown option",
		"mysql://shop:hunter2@db.example/orders?time_zone=here":   "time_zone must be",
		"mysql://shop:hunter2@db.example/orders?tls_ca=/no/where": "tls_ca: open /no/where",
		"oracle://shop:hunter2@db.example/orders":                 "not a database address",
	} {
		_, err := source.Parse(raw)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hun") {
			t.Errorf("%s: %v, want %s", raw, err, want)
		}
	}
}

func TestAnAuthorityOfMySQLNeedsACertificate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, []byte("no certificate"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Parse("mysql://shop@db.example/orders?tls_ca=" + file); err == nil || !strings.Contains(err.Error(), "no certificate in PEM form") {
		t.Error(err)
	}
}

// times returns what MariaDB and the driver make of a stored TIMESTAMP, for a session with this option.
func times(t *testing.T, address, option string) (at time.Time) {
	t.Helper()
	s, err := source.Parse(address + option)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Read(t.Context(), time.Second, func(db source.Querier) error {
		rows, err := db.QueryContext(t.Context(), `SELECT at FROM times`)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			if err := rows.Scan(&at); err != nil {
				return err
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return at
}

func TestATimestampIsTheSameMomentInEachTimeZone(t *testing.T) {
	t.Parallel()
	address := sqltest.MariaDB(t)
	s, err := source.Parse(address + "&time_zone=%2B00:00")
	if err != nil {
		t.Fatal(err)
	}
	db, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{`CREATE TABLE times (at TIMESTAMP)`, `INSERT INTO times VALUES ('2026-07-01 12:30:00')`} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	want := time.Date(2026, 7, 1, 12, 30, 0, 0, time.UTC)
	for option, shown := range map[string]string{"": "12:30", "&time_zone=%2B02:00": "14:30", "&time_zone=-03:30": "09:00"} {
		if at := times(t, address, option); !at.Equal(want) || at.Format("15:04") != shown {
			t.Errorf("%s: %v", option, at)
		}
	}
}

func TestReadingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s, err := source.Parse(sqltest.MariaDB(t))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err = s.Read(ctx, time.Minute, func(db source.Querier) error {
		cancel()
		_, err := db.QueryContext(ctx, `SELECT SLEEP(600)`)
		return err
	})
	if err == nil {
		t.Error("a query outlived its context")
	}
}

func FuzzAnEscapedAccountOfMySQLComesBack(f *testing.F) {
	f.Add("shop", "secret")
	f.Add("a@b", "p@ss/w#rd?%")
	f.Add("ä", "\x00'\"\\ ")
	f.Fuzz(func(t *testing.T, user, password string) {
		u := url.URL{Scheme: "mysql", User: url.UserPassword(user, password), Host: "db.example:3307", Path: "/orders"}
		s, err := source.Parse(u.String())
		if user == "" {
			if err == nil {
				t.Error("an address without a user passes")
			}
			return
		}
		if err != nil {
			t.Fatalf("%q %q: %v", user, password, err)
		}
		if gotUser, got, host, db := s.Account(); gotUser != user || got != password || host != "db.example:3307" || db != "orders" {
			t.Errorf("%q %q at %s/%s; want %q %q", gotUser, got, host, db, user, password)
		}
	})
}
