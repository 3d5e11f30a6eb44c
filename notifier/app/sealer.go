package app

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
)

const (
	keyBytes    = 32 // as for AES-256
	secretBytes = 32
	sealedFor   = "carillon app secret" // separates the secrets of apps from other secrets under the same session keys
)

var (
	// ErrNoKey means that there is no session key to seal with.
	ErrNoKey = errors.New("no session key to seal secrets with")
	// ErrOtherKeys means that a secret was sealed under none of these session keys, or for another owner.
	ErrOtherKeys = errors.New("a secret was sealed under other session keys")
)

// Sealer encrypts secrets under keys derived from the session keys, so that neither a copy of the database nor an
// export contains one. The first key seals, and all keys open. The zero value opens nothing.
type Sealer []cipher.AEAD

// NewSealer returns the sealer of the secrets for one purpose. It cannot open secrets for another purpose.
func NewSealer(sessionKeys [][]byte, purpose string) (Sealer, error) {
	var s Sealer
	for _, key := range sessionKeys {
		derived, err := hkdf.Key(sha256.New, key, nil, purpose, keyBytes)
		if err != nil {
			return nil, fmt.Errorf("derive a key for secrets: %w", err)
		}
		block, err := aes.NewCipher(derived)
		if err != nil {
			return nil, fmt.Errorf("derive a key for secrets: %w", err)
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, fmt.Errorf("derive a key for secrets: %w", err)
		}
		s = append(s, aead)
	}
	return s, nil
}

// Seal encrypts a secret of this owner.
func (s Sealer) Seal(secret []byte, owner string) ([]byte, error) {
	if len(s) == 0 {
		return nil, ErrNoKey
	}
	nonce := make([]byte, s[0].NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return s[0].Seal(nonce, nonce, secret, []byte(owner)), nil
}

// Open returns a secret of this owner, and whether it was sealed under the first key. If none of the keys
// opens it, the error is ErrOtherKeys.
func (s Sealer) Open(sealed []byte, owner string) (secret []byte, first bool, err error) {
	for i, aead := range s {
		if n := aead.NonceSize(); len(sealed) > n {
			if secret, err = aead.Open(nil, sealed[:n], sealed[n:], []byte(owner)); err == nil {
				return secret, i == 0, nil
			}
		}
	}
	return nil, false, ErrOtherKeys
}

func newSealer(sessionKeys [][]byte) (Sealer, error) { return NewSealer(sessionKeys, sealedFor) }

// newSecret returns 43 random characters.
func newSecret() []byte {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return []byte(base64.RawURLEncoding.EncodeToString(b[:]))
}
