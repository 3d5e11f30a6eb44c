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
	secretBytes = 32
	sealBytes   = 32 // of the key, as for AES-256
)

var (
	errNoSessionKey = errors.New("no session key to seal secrets with")
	errSealed       = errors.New("a secret was sealed under other session keys")
)

// sealer seals the secrets of apps under keys derived from the session keys, so that neither a copy
// of the database nor an export holds one. The first key seals, and any opens.
type sealer []cipher.AEAD

func newSealer(keys [][]byte) (sealer, error) {
	var s sealer
	for _, key := range keys {
		derived, err := hkdf.Key(sha256.New, key, nil, "carillon app secret", sealBytes)
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

// seal encrypts a secret of the app with this name.
func (s sealer) seal(secret []byte, app string) ([]byte, error) {
	if len(s) == 0 {
		return nil, errNoSessionKey
	}
	nonce := make([]byte, s[0].NonceSize())
	_, _ = rand.Read(nonce) // never fails
	return s[0].Seal(nonce, nonce, secret, []byte(app)), nil
}

// open returns errSealed for a text that seal did not make, for this app, under one of the keys.
func (s sealer) open(sealed []byte, app string) ([]byte, error) {
	for _, aead := range s {
		if n := aead.NonceSize(); len(sealed) > n {
			if secret, err := aead.Open(nil, sealed[:n], sealed[n:], []byte(app)); err == nil {
				return secret, nil
			}
		}
	}
	return nil, errSealed
}

// newSecret returns 43 random characters.
func newSecret() []byte {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return []byte(base64.RawURLEncoding.EncodeToString(b[:]))
}
