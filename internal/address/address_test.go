package address_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/address"
)

func TestAPasswordEndsBeforeTheHost(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]error{
		"postgres://shop:secret@db.example/notices?sslmode=require": nil,
		"postgres://shop@/notices?host=/run/postgresql":             nil,
		"postgres:///notices?host=/run/postgresql&user=a@b":         nil,
		"postgres://a:b@one:5432,two:5433/notices":                  nil,
		"postgres://shop:p%40ss%2Fw%23rd@db.example/notices":        nil,
		"postgres://shop:p@ss@db.example/notices":                   nil, // the last @ counts, for every parser
		"unix://:secret@/run/redis.sock?db=1":                       nil,
		"postgres://shop:pa/ss@db.example/notices":                  address.ErrReserved,
		"postgres://shop:pa#ss@db.example/notices":                  address.ErrReserved,
		"postgres://shop:pa?ss@db.example/notices":                  address.ErrReserved,
		"postgres://shop:p@ss/w#rd@db.example/notices":              address.ErrReserved,
		"redis://:12/secret@redis.example":                          address.ErrReserved,
		"postgres://shop:secret@db.example/notices#x":               address.ErrReserved,
		"postgres://shop:100%@db.example/notices":                   address.ErrUnreadable,
		"postgres://shop:a b@db.example/notices":                    address.ErrUnreadable,
		"db.example/notices":                                        address.ErrUnreadable,
	} {
		if err := address.Check(raw); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", raw, err, want)
		}
	}
}

func FuzzNoPartOfAPasswordIsAHost(f *testing.F) {
	for _, password := range []string{"secret", "p@ss", "a/b", "a?b=c", "a#b", "1/2@3", "%zz", "]", "a:b", "@", "?x=@"} {
		f.Add(password)
	}
	f.Fuzz(func(t *testing.T, password string) {
		escaped := url.URL{Scheme: "postgres", User: url.UserPassword("shop", password), Host: "db.example", Path: "/notices"}
		if err := address.Check(escaped.String()); err != nil {
			t.Errorf("%q, escaped: %v", password, err)
		}
		raw := "postgres://shop:" + password + "@db.example/notices"
		if address.Check(raw) != nil {
			return
		}
		u, err := url.Parse(raw)
		if err != nil || u.Host != "db.example" && !strings.Contains(password, "=") { // a?b=c@… may be a query
			t.Errorf("%q passes, and the host is %q, %v", password, u.Host, err)
		}
	})
}
