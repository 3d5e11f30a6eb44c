// Package pushtest runs a push service with one browser, for tests. The service rejects what a real one
// rejects, decrypts the rest, and sends the configured responses.
package pushtest

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/notifier/push"
)

// Service is a push service with one browser.
type Service struct {
	*httptest.Server
	Sub     push.Subscription // of the browser
	private *ecdh.PrivateKey

	mu       sync.Mutex
	answers  []Answer // the next ones; after them 201
	strike   func(taken bool)
	received []Received
	faults   []error
}

// Answer is a response of the service to a message.
type Answer struct {
	Status     int
	RetryAfter string
	Location   string
	Header     map[string]string
	Body       string
	Hang       bool // it does not respond
}

// Received is a received message.
type Received struct {
	Path                string // of the endpoint
	TTL, Topic, Urgency string
	Text                []byte // decrypted
}

// Answer makes the service send these responses to the next messages, and then 201.
func (s *Service) Answer(answers ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers = answers
}

// Strike makes the service call this function for each message, before it has accepted it and again before it
// responds.
func (s *Service) Strike(f func(taken bool)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.strike = f
}

// Received returns the messages received so far.
func (s *Service) Received() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.received)
}

// JSON returns the result of PushSubscription.toJSON() in the browser.
func (s *Service) JSON() string {
	encode := base64.RawURLEncoding.EncodeToString
	return fmt.Sprintf(`{"endpoint":%q,"expirationTime":null,"keys":{"p256dh":%q,"auth":%q}}`, s.Sub.Endpoint, encode(s.Sub.P256DH[:]), encode(s.Sub.Auth[:]))
}

// Browser returns a subscription at this endpoint without a receiver.
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

// Start starts a service. A message that a real service would reject fails the test.
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

// ServeHTTP receives a message.
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
	for name, value := range next.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(next.Status)
	_, _ = io.WriteString(w, next.Body)
}
