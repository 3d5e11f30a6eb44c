package api

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"strings"
)

// A token is keyPrefix followed by 32 random bytes in URL-safe base64.
const (
	keyPrefix = "ck_"
	keyBytes  = 32
)

// NewKey returns the text of a new key, which only its application keeps, and its hash,
// which Carillon stores.
func NewKey() (token string, hash []byte) {
	var b [keyBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	token = keyPrefix + base64.RawURLEncoding.EncodeToString(b[:])
	hash, _ = hashKey(token)
	return token, hash
}

// hashKey returns false for a text that cannot be a key.
func hashKey(token string) (hash []byte, ok bool) {
	text, found := strings.CutPrefix(token, keyPrefix)
	if !found || len(text) != base64.RawURLEncoding.EncodedLen(keyBytes) {
		return nil, false
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:], true
}
