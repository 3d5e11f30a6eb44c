package push_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier/push"
)

// service is a push service with one browser. It refuses what a real one refuses, decrypts the rest, and
// gives the answers that it is told to.
type service struct {
	*httptest.Server
	sub     push.Subscription
	private *ecdh.PrivateKey

	mu       sync.Mutex
	answers  []answer // the next ones; then 201
	received []received
	faults   []error
}

type answer struct {
	status     int
	retryAfter string
	location   string
	hang       bool
}

type received struct {
	ttl, topic, urgency string
	text                []byte
}

func newService(t *testing.T) *service {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &service{private: private}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	s.sub = push.Subscription{Endpoint: s.URL + "/device", P256DH: [65]byte(private.PublicKey().Bytes())}
	_, _ = rand.Read(s.sub.Auth[:])
	t.Cleanup(func() {
		for _, fault := range s.faults {
			t.Error(fault)
		}
	})
	return s
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got, err := s.read(r)
	s.mu.Lock()
	next := answer{status: http.StatusCreated}
	if len(s.answers) > 0 {
		next, s.answers = s.answers[0], s.answers[1:]
	}
	if err != nil {
		s.faults = append(s.faults, err)
		next.status = http.StatusBadRequest
	}
	s.received = append(s.received, got)
	s.mu.Unlock()
	if next.hang {
		<-r.Context().Done()
		return
	}
	if next.retryAfter != "" {
		w.Header().Set("Retry-After", next.retryAfter)
	}
	if next.location != "" {
		w.Header().Set("Location", next.location)
	}
	w.WriteHeader(next.status)
}

// read verifies and decrypts a message.
func (s *service) read(r *http.Request) (received, error) {
	got := received{ttl: r.Header.Get("TTL"), topic: r.Header.Get("Topic"), urgency: r.Header.Get("Urgency")}
	if err := s.verify(r.Header.Get("Authorization")); err != nil {
		return got, err
	}
	if e := r.Header.Get("Content-Encoding"); e != "aes128gcm" {
		return got, fmt.Errorf("Content-Encoding is %q", e)
	}
	if len(got.topic) > 32 || got.topic == "" {
		return got, fmt.Errorf("topic %q", got.topic)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || len(body) > 4096 || len(body) < 86 {
		return got, fmt.Errorf("a body of %d bytes: %w", len(body), err)
	}
	got.text, err = s.decrypt(body)
	return got, err
}

func (s *service) decrypt(body []byte) ([]byte, error) {
	salt, public := body[:16], body[21:86]
	theirs, err := ecdh.P256().NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	shared, err := s.private.ECDH(theirs)
	if err != nil {
		return nil, err
	}
	secret, _ := hkdf.Key(sha256.New, shared, s.sub.Auth[:], "WebPush: info\x00"+string(s.sub.P256DH[:])+string(public), 32)
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

// verify checks a token as RFC 8292 says.
func (s *service) verify(header string) error {
	rest, ok := strings.CutPrefix(header, "vapid t=")
	token, public, hasKey := strings.Cut(rest, ", k=")
	parts := strings.Split(token, ".")
	if !ok || !hasKey || len(parts) != 3 {
		return fmt.Errorf("Authorization is %q", header)
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
