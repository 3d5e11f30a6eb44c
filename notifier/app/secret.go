package app

import (
	"crypto/rand"
	"encoding/base64"

	"github.com/carillonhq/carillon/internal/seal"
)

const (
	secretBytes = 32
	sealedFor   = "carillon app secret" // separates the secrets of apps from others under the same session keys
)

func newSealer(sessionKeys [][]byte) (seal.Sealer, error) { return seal.New(sessionKeys, sealedFor) }

// newSecret returns 43 random characters.
func newSecret() []byte {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return []byte(base64.RawURLEncoding.EncodeToString(b[:]))
}
