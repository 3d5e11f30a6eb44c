// Package mailtest starts real mail servers for tests. They accept and store every mail, or respond as the
// test specifies.
package mailtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// ErrCut as a response closes the connection instead of responding.
var ErrCut = errors.New("the line is cut")

// Options configures the behaviour of a server.
type Options struct {
	TLS       bool   // from the first byte
	STARTTLS  bool   // offered; mails are rejected before it
	BrokenTLS bool   // STARTTLS is offered and fails; mails are accepted without it
	User      string // empty: no sign-in required
	Password  string
	PerLine   int // mails after which a connection is closed; 0: never

	// Mail, Rcpt and Data respond to the three steps of a mail; nil: accept. Data is called after the mail has
	// been read.
	Mail, Rcpt func(address string) error
	Data       func(l Letter) error
}

// Answer is a response such as 550 5.1.1.
func Answer(code, class, subject, detail int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{class, subject, detail}, Message: text}
}

// Server is a mail server on the loopback interface.
type Server struct {
	Addr  string
	Roots *x509.CertPool // of its certificate

	options Options
	mu      sync.Mutex
	letters []Letter
	lines   int
}

// Start starts a server, which stops when the test ends.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{options: o, Roots: x509.NewCertPool()}
	certificate := s.certificate(t)
	server := smtp.NewServer(smtp.BackendFunc(s.session))
	server.Domain, server.AllowInsecureAuth, server.MaxMessageBytes, server.EnableSMTPUTF8 = "localhost", !o.STARTTLS, 10<<20, true
	server.ErrorLog = log.New(io.Discard, "", 0)
	if o.STARTTLS {
		server.TLSConfig = certificate
	}
	if o.BrokenTLS {
		server.TLSConfig = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, ErrCut }}
		server.AllowInsecureAuth = true
	}
	listener := listen(t)
	if s.Addr = listener.Addr().String(); o.TLS {
		listener = tls.NewListener(listener, certificate)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		_ = server.Close()
		<-done
	})
	return s
}

// Silent starts a server that accepts connections and sends nothing. It returns its address.
func Silent(t testing.TB) string {
	t.Helper()
	listener := listen(t)
	go func() {
		var held []net.Conn
		for {
			conn, err := listener.Accept()
			if err != nil {
				for _, c := range held {
					_ = c.Close()
				}
				return
			}
			held = append(held, conn)
		}
	}()
	return listener.Addr().String()
}

// URL returns the server as a value for --smtp-url.
func (s *Server) URL() string {
	u := url.URL{Scheme: "smtp", Host: s.Addr}
	if s.options.TLS {
		u.Scheme = "smtps"
	}
	if s.options.User != "" {
		u.User = url.UserPassword(s.options.User, s.options.Password)
	}
	return u.String()
}

// Letters returns the accepted mails, oldest first.
func (s *Server) Letters() []Letter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.letters)
}

// Lines returns how many connections were opened.
func (s *Server) Lines() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines
}

func (s *Server) session(c *smtp.Conn) (smtp.Session, error) {
	s.mu.Lock()
	s.lines++
	s.mu.Unlock()
	return &session{server: s, conn: c, open: s.options.User == ""}, nil
}

func listen(t testing.TB) net.Listener {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// certificate creates a certificate for the loopback address.
func (s *Server) certificate(t testing.TB) *tls.Config {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	s.Roots.AddCert(parsed)
	return &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}
