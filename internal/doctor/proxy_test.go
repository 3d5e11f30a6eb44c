package doctor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
)

// Each fault of a proxy has its own cause and its own cure.
func TestEachFaultOfAProxyHasItsOwnCure(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	plain := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	year := 365 * 24 * time.Hour
	expired, mine := secure(t, "localhost", -year), secure(t, "localhost", year)
	for name, test := range map[string]struct{ at, found, advice string }{
		"expired":           {expired, "expired on", "renew it"},
		"unknown authority": {mine, "authority that this machine does not know", "SSL_CERT_FILE"},
		"refused":           {"http://" + testkit.Address(), "nothing listens there", "start the proxy"},
		"https at plain":    {strings.Replace(plain(answer(200, "")), "http:", "https:", 1), "speaks plain HTTP", "begin --public-url with http://"},
		"http at TLS":       {strings.Replace(mine, "https:", "http:", 1), "speaks TLS", "begin --public-url with https://"},
		"name":              {"https://nowhere.invalid", "nowhere.invalid", "--public-url"},
		"bad gateway":       {plain(answer(502, "")), "cannot reach the server (502)", "--addr"},
		"gateway timeout":   {plain(answer(504, "")), "waits in vain", "--addr"},
		"unavailable":       {plain(answer(503, "")), "not ready (503)", "/readyz"},
		"other path":        {plain(answer(404, "")), "another application or another path", "every path below --public-url"},
		"another answers":   {plain(answer(200, "<html>", "Content-Type", "text/html")), "not with a stream", "the path of --public-url"},
		"sign-in":           {plain(answer(401, "")), "requires a sign-in (401)", "check the bell"},
		"loop":              {plain(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) }), "redirects to itself", "X-Forwarded-Proto"},
		"redirect to https": {plain(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+"/", http.StatusFound)
		}), "redirects to https", "begin --public-url with https://"},
		"redirect elsewhere": {plain(answer(302, "", "Location", "https://login.example.com/?next=1")), "redirects to https://login.example.com/", "the address that answers itself"},
		"other keys":         {plain(answer(403, "", refusal, "token")), "has other session keys", "--session-keys"},
		"no HTTP":            {"http://" + closing(t), "does not speak HTTP", "port"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			public, err := url.Parse(test.at)
			if err != nil {
				t.Fatal(err)
			}
			_, err = readProbe(t.Context(), public, "secret-token", 0, true)
			f, ok := err.(*fault) //nolint:errorlint // it is returned as it is
			if !ok || !strings.Contains(f.found, test.found) || !strings.Contains(f.advice, test.advice) {
				t.Errorf("%v\nwant %q and %q", err, test.found, test.advice)
			}
			if ok && strings.Contains(f.found+f.advice, "secret-token") {
				t.Errorf("it prints the token: %v", f)
			}
		})
	}
}

// Compares the headers that reach the server, and that come back, with the headers sent.
func TestHeadersThatAProxyDropsAreFound(t *testing.T) {
	t.Parallel()
	public, now := &url.URL{Scheme: "https", Host: "notices.example.com"}, time.Now()
	apart := []time.Time{now, now.Add(probePause), now.Add(2 * probePause)}
	good := func() *stream {
		return &stream{arrived: arrived{Cookie: true, Authorization: true}, arrivals: apart, header: http.Header{"Set-Cookie": {"a=b"}, "Cache-Control": {"no-store"}}}
	}
	if err := good().judge(public, true); err != nil {
		t.Errorf("a good stream: %v", err)
	}
	for want, change := range map[string]func(*stream){
		"drops the header Cookie":        func(s *stream) { s.arrived.Cookie = false },
		"drops the header Authorization": func(s *stream) { s.arrived.Authorization = false },
		"drops the header Set-Cookie":    func(s *stream) { s.header.Del("Set-Cookie") },
		"changes the header Cache":       func(s *stream) { s.header.Set("Cache-Control", "max-age=60") },
		"it is buffered":                 func(s *stream) { s.arrivals = []time.Time{now, now, now} },
		"to be compressed (gzip)":        func(s *stream) { s.arrivals = []time.Time{now, now, now}; s.header.Set("Content-Encoding", "gzip") },
		"ends after 1 of 3 lines":        func(s *stream) { s.arrivals = s.arrivals[:1] },
	} {
		s := good()
		change(s)
		if err := s.judge(public, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %q", err, want)
		}
	}
}

// secure starts a TLS server with its own certificate for a host, which expires after life.
func secure(t *testing.T, host string, life time.Duration) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	until := time.Now().Add(life)
	form := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: until.AddDate(-2, 0, 0), NotAfter: until,
	}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.NotFoundHandler())
	s.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

// closing accepts connections and closes them.
func closing(t *testing.T) string {
	t.Helper()
	l := listen(t)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	return l.Addr().String()
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}
