package pushtest

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"strings"
	"time"
)

// read verifies and decrypts a message.
func (s *Service) read(r *http.Request) (Received, error) {
	got := Received{Path: r.URL.Path, TTL: r.Header.Get("TTL"), Topic: r.Header.Get("Topic"), Urgency: r.Header.Get("Urgency")}
	if err := s.verify(r.Header.Get("Authorization")); err != nil {
		return got, err
	}
	if e := r.Header.Get("Content-Encoding"); e != "aes128gcm" {
		return got, fmt.Errorf("the header Content-Encoding is %q", e)
	}
	if len(got.Topic) > 32 || got.Topic == "" {
		return got, fmt.Errorf("topic %q", got.Topic)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) > 4096 || len(body) < 86 {
		return got, fmt.Errorf("a body of %d bytes: %w", len(body), err)
	}
	got.Text, err = s.decrypt(body)
	return got, err
}

func (s *Service) decrypt(body []byte) ([]byte, error) {
	salt, public := body[:16], body[21:86]
	theirs, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	shared, err := s.private.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	secret, _ := hkdf.Key(sha256.New, shared, s.Sub.Auth[:], "WebPush: info\x00"+string(s.Sub.P256DH[:])+string(public), 32)
	key, _ := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: aes128gcm\x00", 16)
	nonce, _ := hkdf.Key(sha256.New, secret, salt, "Content-Encoding: nonce\x00", 12)
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, body[86:], nil)
	if err != nil || plain[len(plain)-1] != 2 {
		return nil, fmt.Errorf("decrypt: %w, or no end of the last record", err)
	}
	return plain[:len(plain)-1], nil
}

// verify checks a token according to RFC 8292.
func (s *Service) verify(header string) error {
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, public, hasKey := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if !ok || !hasKey || len(parts) != 3 {
		return fmt.Errorf("the header Authorization is %q", header)
	}
	point, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		return err
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return err
	}
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || len(signature) != 64 {
		return fmt.Errorf("a signature of %d bytes: %w", len(signature), err)
	}
	digest := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if !ecdsa.Verify(key, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return fmt.Errorf("the signature of %s is wrong", token)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return err
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	if err = json.Unmarshal(text, &claims); err != nil {
		return err
	}
	if left := time.Until(time.Unix(claims.Exp, 0)); claims.Aud != s.URL || !strings.HasPrefix(claims.Sub, "mailto:") || left <= 0 || left > 24*time.Hour {
		return fmt.Errorf("claims %s", text)
	}
	return nil
}
