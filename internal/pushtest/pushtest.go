// Package pushtest runs a push service with one browser, for tests. The service refuses what a real one
// refuses, decrypts the rest, and gives the answers that it is told to.
package pushtest

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
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier/push"
)

// Service is a push service with one browser.
type Service struct {
	*httptest.Server
	Sub     push.Subscription // of the browser
	private *ecdh.PrivateKey

	mu       sync.Mutex
	answers  []Answer // the next ones; then 201
	strike   func(taken bool)
	received []Received
	faults   []error
}

// Answer is how the service answers a message.
type Answer struct {
	Status     int
	RetryAfter string
	Location   string
	Hang       bool // it does not answer at all
}

// Received is a message as it arrived.
type Received struct {
	Path                string // of the endpoint
	TTL, Topic, Urgency string
	Text                []byte // decrypted
}

// Answer has the service give these answers to the next messages, and then 201.
func (s *Service) Answer(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = answers
}

// Strike has the service call this function for each message, before it has taken it and again before it
// answers.
func (s *Service) Strike(f func(taken bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strike = f
}

// Received returns the messages so far.
func (s *Service) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// JSON returns what PushSubscription.toJSON() gives in the browser.
func (s *Service) JSON() string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}}`, s.Sub.Endpoint, encode(s.Sub.P256DH[:]), encode(s.Sub.Auth[:]))
}

// Certificate writes the certificate of all services to a file in dir. A process trusts it whose environment
// names the file in SSL_CERT_FILE before its first connection by TLS.
func Certificate(dir string) (file string, err error) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	file = filepath.Join(dir, "push.pem")
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err = os.WriteFile(file, text, 0o600); err != nil {
		return "", fmt.Errorf("write the certificate: %w", err)
	}
	return file, nil
}

// Browser returns a subscription at this endpoint whose messages nobody reads.
func Browser(endpoint string) push.Subscription {
	_, sub := browser(endpoint)
	return sub
}

func browser(endpoint string) (*ecdh.PrivateKey, push.Subscription) {
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		panic(err) // it never fails
	}
	sub := push.Subscription{Endpoint: endpoint, P256DH: [65]byte(private.PublicKey().Bytes())}
	_, _ = rand.Read(sub.Auth[:])
	return private, sub
}

// Start starts a service. A message that a real service would refuse fails the test.
func Start(t *testing.T) *Service {
	t.Helper()
	s := &Service{}
	s.Server = httptest.NewTLSServer(s)
	t.Cleanup(s.Close)
	s.private, s.Sub = browser(s.URL + "/device")
	t.Cleanup(func() {
		for _, fault := range s.faults {
			t.Error(fault)
		}
	})
	return s
}

// ServeHTTP takes a message.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	got, err := s.read(r)
	s.mu.Lock()
	strike := s.strike
	s.mu.Unlock()
	if strike != nil {
		strike(false)
		defer strike(true) // WriteHeader sends nothing before the handler returns
	}
	s.mu.Lock()
	next := Answer{Status: http.StatusCreated}
	if len(s.answers) > 0 {
		next, s.answers = s.answers[0], s.answers[1:]
	}
	if err != nil {
		s.faults = append(s.faults, err)
		next.Status = http.StatusBadRequest
	}
	s.received = append(s.received, got)
	s.mu.Unlock()
	if next.Hang {
		<-r.Context().Done()
		return
	}
	if next.RetryAfter != "" {
		w.Header().Set("Retry-After", next.RetryAfter)
	}
	if next.Location != "" {
		w.Header().Set("Location", next.Location)
	}
	w.WriteHeader(next.Status)
}

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

// verify checks a token as RFC 8292 says.
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

// Runner runs the tests of a package whose connections by TLS trust all services.
type Runner struct{ m interface{ Run() int } }

// Wrap returns a Runner for a TestMain. goleak.VerifyTestMain accepts it.
func Wrap(m interface{ Run() int }) Runner { return Runner{m} }

// Run runs the tests and returns their exit code.
func (r Runner) Run() int {
	dir, err := os.MkdirTemp("", "carillon-push")
	if err == nil {
		defer os.RemoveAll(dir)
		var file string
		if file, err = Certificate(dir); err == nil {
			err = os.Setenv("SSL_CERT_FILE", file)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pushtest:", err)
		return 1
	}
	return r.m.Run()
}
