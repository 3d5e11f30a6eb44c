package carillon

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrWebhook means that Carillon did not sign a message, that it was changed, or that it is too old.
	ErrWebhook = errors.New("carillon: the webhook is not valid")

	// ErrReceipt means that a text is no receipt of these keys.
	ErrReceipt = errors.New("carillon: the receipt is not valid")
)

// UserToken signs a token that says who is signed in to your application, for the elements of its pages. key is the CARILLON_TOKEN_KEY
// of the app, user the user's id in your application, and name what people call them. claims may add other claims; it may be nil.
func UserToken(key, user, name string, lifetime time.Duration, claims map[string]any) (string, error) {
	now := time.Now()
	kid, _, _ := strings.Cut(key, ".")
	all := map[string]any{"sub": user, "aud": "carillon", "iat": now.Unix(), "exp": now.Add(lifetime).Unix()}
	if name != "" {
		all["name"] = name
	}
	for claim, value := range claims {
		all[claim] = value
	}
	header, err := json.Marshal(map[string]string{"alg": "HS256", "kid": kid})
	if err != nil {
		return "", fmt.Errorf("carillon: sign a token: %w", err)
	}
	payload, err := json.Marshal(all)
	if err != nil {
		return "", fmt.Errorf("carillon: sign a token: %w", err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode(header) + "." + encode(payload)
	return signed + "." + encode(mac([]byte(key), signed)), nil
}

// Event is the body of a webhook's message.
type Event struct {
	Type      string          `json:"type"`
	Timestamp time.Time       `json:"timestamp"`
	Data      json.RawMessage `json:"data"`
}

// VerifyWebhook returns the event of a webhook's message, or an error that wraps ErrWebhook. body is the body exactly as it was received.
// secrets are what carillon hook add printed; while they are rotated, there are two. A message is valid for 5 minutes.
func VerifyWebhook(header http.Header, body []byte, secrets ...string) (*Event, error) {
	id, sent := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if id == "" || err != nil {
		return nil, fmt.Errorf("%w: no webhook-id or webhook-timestamp", ErrWebhook)
	}
	if age := time.Since(time.Unix(seconds, 0)); age.Abs() > 5*time.Minute {
		return nil, fmt.Errorf("%w: it is more than 5 minutes old, or the clock is wrong", ErrWebhook)
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return nil, fmt.Errorf("carillon: the secret of a webhook: %w", err)
		}
		want := mac(key, id+"."+sent+"."+string(body))
		for one := range strings.SplitSeq(header.Get("Webhook-Signature"), " ") {
			text, v1 := strings.CutPrefix(one, "v1,")
			got, err := base64.StdEncoding.DecodeString(text)
			if v1 && err == nil && hmac.Equal(got, want) {
				var e Event
				if err := json.Unmarshal(body, &e); err != nil {
					return nil, fmt.Errorf("%w: %w", ErrWebhook, err)
				}
				return &e, nil
			}
		}
	}
	return nil, fmt.Errorf("%w: no signature is", ErrWebhook)
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// Keys are the public keys of receipts.
type Keys struct {
	Keys []struct {
		Kty string `json:"kty"`
		Crv string `json:"crv"`
		Kid string `json:"kid"`
		X   string `json:"x"`
	} `json:"keys"`
}

// Receipt is what a receipt proves.
type Receipt struct {
	ID      int64    `json:"id"`
	State   string   `json:"state"`
	Choices []string `json:"choices"`
	Outcome *string  `json:"outcome"`
	Answers []Answer `json:"answers"`
	Content string   `json:"content"` // base64url of the SHA-256 of the RFC 8785 JSON of title, body and data
}

// VerifyReceipt returns what a receipt proves, or an error that wraps ErrReceipt.
func VerifyReceipt(receipt string, keys *Keys) (*Receipt, error) {
	parts := strings.Split(strings.TrimSpace(receipt), ".")
	if len(parts) != 3 {
		return nil, fmt.Errorf("%w: it does not have three parts", ErrReceipt)
	}
	var decoded [3][]byte
	for i, part := range parts {
		text, err := base64.RawURLEncoding.DecodeString(part)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrReceipt, err)
		}
		decoded[i] = text
	}
	var header struct{ Alg, Kid string }
	if err := json.Unmarshal(decoded[0], &header); err != nil || header.Alg != "EdDSA" {
		return nil, fmt.Errorf("%w: it is not signed with Ed25519", ErrReceipt)
	}
	for _, k := range keys.Keys {
		public, err := base64.RawURLEncoding.DecodeString(k.X)
		if k.Kid != header.Kid || k.Kty != "OKP" || k.Crv != "Ed25519" || err != nil || len(public) != ed25519.PublicKeySize {
			continue
		}
		if !ed25519.Verify(public, []byte(parts[0]+"."+parts[1]), decoded[2]) {
			return nil, ErrReceipt
		}
		var r Receipt
		if err := json.Unmarshal(decoded[1], &r); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrReceipt, err)
		}
		return &r, nil
	}
	return nil, fmt.Errorf("%w: it was signed with an unknown key", ErrReceipt)
}
