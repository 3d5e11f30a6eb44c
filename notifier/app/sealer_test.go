package app_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/carillonhq/carillon/notifier/app"
)

func TestASecretOpensUnderItsKeysForItsOwnerAndPurposeOnly(t *testing.T) {
	t.Parallel()
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	sealer := func(purpose string, keys ...[]byte) app.Sealer {
		s, err := app.NewSealer(keys, purpose)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	sealed, err := sealer("tea", one).Seal([]byte("hunter2"), "alice")
	if err != nil || bytes.Contains(sealed, []byte("hunter2")) {
		t.Fatalf("%q, %v", sealed, err)
	}
	for _, test := range []struct {
		name  string
		s     app.Sealer
		owner string
		first bool
		err   error
	}{
		{"the same key", sealer("tea", one), "alice", true, nil},
		{"an older key", sealer("tea", two, one), "alice", false, nil},
		{"another key", sealer("tea", two), "alice", false, app.ErrOtherKeys},
		{"another owner", sealer("tea", one), "bob", false, app.ErrOtherKeys},
		{"another purpose", sealer("coffee", one), "alice", false, app.ErrOtherKeys},
		{"no key", sealer("tea"), "alice", false, app.ErrOtherKeys},
	} {
		secret, first, err := test.s.Open(sealed, test.owner)
		if !errors.Is(err, test.err) || first != test.first || (err == nil) != (string(secret) == "hunter2") {
			t.Errorf("%s: %q, %v, %v", test.name, secret, first, err)
		}
	}
	if _, err := sealer("tea").Seal([]byte("hunter2"), "alice"); !errors.Is(err, app.ErrNoKey) {
		t.Errorf("sealing without a key: %v", err)
	}
}
