package pushtest

import (
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
)

// Certificate writes the certificate of all services to a file in dir. A process trusts it if SSL_CERT_FILE names the
// file before the first TLS connection.
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

// Runner runs the tests of a package whose TLS connections trust all services.
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
