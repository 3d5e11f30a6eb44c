package push

import (
	"bytes"
	"crypto/ecdh"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// MaxEndpoint is the longest address of a subscription, in bytes.
const MaxEndpoint = 1024

// MaxSubscription is the longest text that ParseSubscription reads, in bytes.
const MaxSubscription = 4096

// Faults of a subscription. Each contains the invalid field.
var (
	ErrSyntax   = errors.New("the subscription is not the JSON of PushSubscription.toJSON()")
	ErrEndpoint = errors.New("endpoint: must be an https address of at most 1,024 bytes, without user or fragment; a port must be between 1 and 65535")
	ErrUnknown  = errors.New("endpoint: not a known push service")
	ErrP256DH   = errors.New("keys.p256dh: must be a point on the curve P-256, 65 bytes in base64url")
	ErrAuth     = errors.New("keys.auth: must be 16 bytes in base64url")
)

// known contains the domains of the push services of Google, Mozilla, Microsoft and Apple.
var known = []string{"fcm.googleapis.com", "push.services.mozilla.com", "notify.windows.com", "push.apple.com"}

// Subscription identifies one browser to its push service.
type Subscription struct {
	Endpoint string
	P256DH   [pointBytes]byte
	Auth     [16]byte
}

// Hosts contains names of push services in addition to the known ones. A host that is equal to a name, or a
// subdomain of it, is accepted with any port.
type Hosts []string

// ParseSubscription parses the text of PushSubscription.toJSON(). It returns one of the faults above.
func (h Hosts) ParseSubscription(text []byte) (Subscription, error) {
	var in struct {
		Endpoint string `json:"endpoint"`
		Keys     struct {
			P256DH string `json:"p256dh"`
			Auth   string `json:"auth"`
		} `json:"keys"`
	}
	if len(text) > MaxSubscription || json.Unmarshal(bytes.TrimSpace(text), &in) != nil {
		return Subscription{}, ErrSyntax
	}
	sub := Subscription{Endpoint: in.Endpoint}
	if err := h.Check(in.Endpoint); err != nil {
		return Subscription{}, err
	}
	point, ok := decode(in.Keys.P256DH, pointBytes)
	if !ok {
		return Subscription{}, ErrP256DH
	}
	if _, err := ecdh.P256().NewPublicKey(point); err != nil {
		return Subscription{}, fmt.Errorf("%w: %w", ErrP256DH, err)
	}
	sub.P256DH = [pointBytes]byte(point)
	auth, ok := decode(in.Keys.Auth, len(sub.Auth))
	if !ok {
		return Subscription{}, ErrAuth
	}
	sub.Auth = [16]byte(auth)
	return sub, nil
}

// Check returns ErrEndpoint for an address that no push service can have, and ErrUnknown for an unknown service.
// It compares the parsed host, so text before an @ or a longer name cannot match.
func (h Hosts) Check(endpoint string) error {
	if len(endpoint) > MaxEndpoint || strings.ContainsFunc(endpoint, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return ErrEndpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.Contains(endpoint, "#") || !validPort(u) {
		return ErrEndpoint
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	_, err = netip.ParseAddr(host)
	isAddress := err == nil
	for _, names := range [][]string{known, h} {
		for _, name := range names {
			name = strings.ToLower(name)
			if host == name || !isAddress && strings.HasSuffix(host, "."+name) {
				return nil
			}
		}
	}
	return ErrUnknown
}

// validPort reports whether an address has a valid port or none. url.Parse accepts any digits.
func validPort(u *url.URL) bool {
	port := u.Port()
	if port == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0
}

// decode decodes base64url with or without padding.
func decode(text string, size int) ([]byte, bool) {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
	return b, err == nil && len(b) == size
}
