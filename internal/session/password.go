package session

import (
	"fmt"

	"github.com/alexedwards/argon2id"

	"github.com/carillonhq/carillon/notifier"
)

// The codes of FieldError for a password.
const (
	CodePasswordShort = "password_short" // Min: the shortest one allowed, in bytes
	CodePasswordLong  = "password_long"  // Max: the longest one allowed, in bytes
)

const (
	minPassword = 8
	maxPassword = 200
)

// dummyHash is not the hash of any password. Comparing with it takes as long as comparing with a user's hash, so that
// the time does not reveal which users exist.
const dummyHash = "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// hashParams returns the parameters that OWASP recommends for argon2id: 19 MiB, two passes.
func hashParams() *argon2id.Params {
	return &argon2id.Params{Memory: 19 * 1024, Iterations: 2, Parallelism: 1, SaltLength: 16, KeyLength: 32}
}

// HashPassword returns the argon2id hash of a password of 8 to 200 bytes, or a
// *notifier.InvalidError.
func HashPassword(password string) (string, error) {
	var bad notifier.InvalidError
	switch {
	case len(password) < minPassword:
		bad.Add("password", CodePasswordShort, map[string]any{"Min": minPassword})
		return "", &bad
	case len(password) > maxPassword:
		bad.Add("password", CodePasswordLong, map[string]any{"Max": maxPassword})
		return "", &bad
	}
	hash, err := argon2id.CreateHash(password, hashParams())
	if err != nil {
		return "", fmt.Errorf("hash a password: %w", err)
	}
	return hash, nil
}
