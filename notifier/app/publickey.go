package app

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"

	"github.com/go-jose/go-jose/v4"

	"github.com/carillonhq/carillon/notifier"
)

const (
	minRSA = 2048 // bits
	maxRSA = 8192 // bits; verifying with a larger key takes too long
)

// ParsePublicKey reads a public key in PEM form (a PUBLIC KEY, RSA PUBLIC KEY or CERTIFICATE block)
// and returns it in PKIX form, with its algorithm. It returns a *notifier.InvalidError for anything
// else, a private key included.
func ParsePublicKey(text []byte) (alg notifier.KeyAlg, pkix []byte, err error) {
	var bad notifier.InvalidError
	bad.Add("public_key", notifier.CodeBadAppKey, nil)
	block, _ := pem.Decode(text)
	if block == nil {
		return "", nil, &bad
	}
	var key any
	switch block.Type {
	case "PUBLIC KEY":
		key, err = x509.ParsePKIXPublicKey(block.Bytes)
	case "RSA PUBLIC KEY":
		key, err = x509.ParsePKCS1PublicKey(block.Bytes)
	case "CERTIFICATE":
		var cert *x509.Certificate
		if cert, err = x509.ParseCertificate(block.Bytes); err == nil {
			key = cert.PublicKey
		}
	}
	alg, ok := algOf(key)
	if err != nil || !ok {
		return "", nil, &bad
	}
	pkix, err = x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return "", nil, &bad
	}
	return alg, pkix, nil
}

// algOf returns the only algorithm with which a public key may be used.
func algOf(key any) (alg notifier.KeyAlg, ok bool) {
	switch key := key.(type) {
	case *ecdsa.PublicKey:
		return notifier.AlgES256, key.Curve == elliptic.P256()
	case ed25519.PublicKey:
		return notifier.AlgEdDSA, len(key) == ed25519.PublicKeySize
	case *rsa.PublicKey:
		bits := key.N.BitLen()
		return notifier.AlgRS256, bits >= minRSA && bits <= maxRSA
	}
	return "", false
}

// parseSet reads a set leniently: unknown members, malformed certificates and keys of other kinds do not make the
// other keys unusable.
func parseSet(text []byte) (map[string][]verifyKey, error) {
	var raw struct {
		Keys []map[string]json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &raw); err != nil || raw.Keys == nil {
		return nil, errSet
	}
	keys := map[string][]verifyKey{}
	for _, members := range raw.Keys {
		for _, certificate := range []string{"x5c", "x5t", "x5t#S256", "x5u"} {
			delete(members, certificate) // only the key itself matters
		}
		var k jose.JSONWebKey
		text, err := json.Marshal(members)
		if err != nil || k.UnmarshalJSON(text) != nil || k.Use != "" && k.Use != "sig" || !k.IsPublic() {
			continue
		}
		alg, ok := algOf(k.Key)
		if ok && (k.Algorithm == "" || k.Algorithm == string(alg)) {
			keys[k.KeyID] = append(keys[k.KeyID], verifyKey{alg: alg, key: k.Key})
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w that can verify tokens", errSet)
	}
	return keys, nil
}
