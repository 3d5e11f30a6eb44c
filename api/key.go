package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// A token is keyPrefix and 32 random bytes in the alphabet of addresses.
const (
	keyPrefix = "ck_"
	keyBytes  = 32
)

// NewKey makes the text of a key, which its application keeps, and its hash,
// which is all that is kept here.
func NewKey() (token string, hash []byte) {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	token = keyPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	hash, _ = hashKey(token)
	return token, hash
}

// hashKey is false for what cannot be a key.
func hashKey(token string) (hash []byte, ok bool) {
	text, found := strings.CutPrefix(token, keyPrefix)
	if !found || len(text) != base64.RawURLEncoding.EncodedLen(keyBytes) {
		return nil, false
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:], true
}
