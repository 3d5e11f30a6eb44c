package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// tokenLife is how long a token is valid; push services reject tokens valid for more than a day.
const tokenLife = 12 * time.Hour

// ErrBadKey means that the text is not a key of this form.
var ErrBadKey = errors.New("not a VAPID key: 32 bytes in base64url, a number below the order of P-256")

// Key is the VAPID key of an installation (RFC 8292). Browsers bind their subscriptions to its public
// half, so changing the key invalidates all of them.
type Key struct{ private *ecdsa.PrivateKey }

// NewKey generates a key.
func NewKey() (Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return Key{}, fmt.Errorf("make a VAPID key: %w", err)
	}
	return Key{private}, nil
}

// ParseKey parses the text returned by Secret.
func ParseKey(text string) (Key, error) {
	b, ok := decode(strings.TrimSpace(text), 32)
	if !ok {
		return Key{}, ErrBadKey
	}
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), b)
	if err != nil {
		return Key{}, ErrBadKey
	}
	return Key{private}, nil
}

// Secret returns the private half in base64url, as the usual tools do.
func (k Key) Secret() (string, error) {
	b, err := k.private.Bytes()
	if err != nil {
		return "", fmt.Errorf("encode the VAPID key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Public returns the public half in base64url, for the option applicationServerKey of pushManager.subscribe.
func (k Key) Public() (string, error) {
	b, err := k.private.PublicKey.Bytes()
	if err != nil {
		return "", fmt.Errorf("encode the VAPID key: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Authorization returns the Authorization header for a request to the origin of the endpoint. Contact is a
// mailto: or https: address of the operator.
func (k Key) Authorization(endpoint, contact string, now time.Time) (string, error) {
	origin, err := originOf(endpoint)
	if err != nil {
		return "", err
	}
	claims, err := json.Marshal(map[string]any{"aud": origin, "exp": now.Add(tokenLife).Unix(), "sub": contact})
	if err != nil {
		return "", fmt.Errorf("encode the claims of a token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	digest := sha256.Sum256([]byte(signed))
	r, s, err := ecdsa.Sign(rand.Reader, k.private, digest[:])
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	public, err := k.Public()
	if err != nil {
		return "", err
	}
	return "vapid t=" + signed + "." + encode(signature[:]) + ", k=" + public, nil
}

// Origin returns scheme, host and port of an endpoint; empty if it has none.
func Origin(endpoint string) string {
	origin, _ := originOf(endpoint)
	return origin
}

func originOf(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "", ErrEndpoint
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}
