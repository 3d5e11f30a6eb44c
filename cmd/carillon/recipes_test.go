package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// The recipes for proxies in deploy/ are tested with the real programs.
var recipes = map[string]map[string]string{
	"nginx": {"host": "nginx.conf", "path": "nginx-path.conf", "forward-auth": "nginx-forward-auth.conf"},
	"caddy": {"host": "Caddyfile", "path": "Caddyfile.path", "forward-auth": "Caddyfile.forward-auth"},
}

// hostApplication is the application on the same host. A cookie with their name signs users in; vic is in the staff
// group.
func hostApplication(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, err := r.Cookie("app")
		switch {
		case r.URL.Path != "/whoami":
			fmt.Fprintf(w, "the application at %s", r.URL.Path)
		case err != nil:
			w.WriteHeader(http.StatusUnauthorized)
		default:
			w.Header().Set("X-User", user.Value)
			if user.Value == "vic" {
				w.Header().Set("X-Groups", "sales,support")
			}
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// front starts a proxy with a recipe, in front of the application and of Carillon. It returns a
// client for which every host is that proxy.
func front(t *testing.T, program, recipe, application, carillon string) browser {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", recipe))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certificate(t, dir)
	addr := testkit.Address()
	conf := strings.NewReplacer("127.0.0.1:8080", carillon, "127.0.0.1:3000", application).Replace(string(text))
	if program == "nginx" {
		conf = strings.Replace(conf, "listen 443", "listen "+addr, 1)
		conf = regexp.MustCompile(`/etc/ssl/\S+\.(pem|key);`).ReplaceAllString(conf, dir+"/cert.$1;")
		conf = "daemon off; master_process off; pid " + dir + "/pid; error_log stderr; events {}\nhttp { access_log off; " + temporary(dir) + "\n" + conf + "}\n"
	} else {
		_, port, _ := net.SplitHostPort(addr)
		conf = regexp.MustCompile(`(?m)^([a-z.]+) \{$`).ReplaceAllString(conf, "https://$1:"+port+" {\n\ttls "+dir+"/cert.pem "+dir+"/cert.key")
		conf = "{\n\tadmin off\n\tauto_https disable_redirects\n}\n" + conf
	}
	launch(t, program, dir, addr, conf)
	return through(t, addr)
}

// launch starts a proxy with this configuration, and waits until it answers at the address.
func launch(t *testing.T, program, dir, addr, conf string) {
	t.Helper()
	file := filepath.Join(dir, "conf")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-p", dir, "-c", file}
	if program == "caddy" {
		args = []string{"run", "--adapter", "caddyfile", "--config", file}
	}
	if _, err := exec.LookPath(program); err != nil { // not every PATH contains the directory of servers
		program = filepath.Join("/usr/sbin", program)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), program, args...)
	said := &testkit.Buffer{}
	cmd.Stdout, cmd.Stderr, cmd.Env = said, said, append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started, ended := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread() // Pdeathsig fires when this thread ends
		defer close(ended)
		started <- cmd.Start()
		_ = cmd.Wait() // an error, because it is killed
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s (scripts/setup.sh test installs it): %v", program, err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-ended
		if t.Failed() {
			t.Logf("%s:\n%s", program, said)
		}
	})
	testkit.Eventually(t, program+" answers", func() bool {
		c, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	})
}

func temporary(dir string) string {
	var all strings.Builder
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		fmt.Fprintf(&all, "%s_temp_path %s/%s; ", kind, dir, kind)
	}
	return all.String()
}

// certificate writes a certificate that no client trusts, and its key.
func certificate(t *testing.T, dir string) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	key, err := x509.MarshalPKCS8PrivateKey(s.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: s.TLS.Certificates[0].Certificate[0]},
		"cert.key": {Type: "PRIVATE KEY", Bytes: key},
	} {
		if err := os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// through is a browser for which every host is at this address.
func through(t *testing.T, addr string) browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // no authority has signed the test's certificate
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		},
	}
	t.Cleanup(transport.CloseIdleConnections)
	return browser{&http.Client{
		Jar: jar, Transport: transport, Timeout: testkit.Patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, ""}
}

// ask sends a request with headers, and returns the status, the Location and the body.
func (b browser) ask(t *testing.T, address string, headers ...string) (status int, location, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, res.Header.Get("Location"), string(text)
}

// streams opens the stream of a user, sends them a notice, and waits until the stream contains it. A proxy that
// buffers would hold it back.
func (b browser) streams(t *testing.T, address string, send func(), headers ...string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := b.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", address, res.Status)
	}
	lines := bufio.NewScanner(res.Body)
	sent := false
	for lines.Scan() {
		if strings.Contains(lines.Text(), `"unread":1`) {
			return
		}
		if !sent && strings.Contains(lines.Text(), `"unread":0`) {
			sent = true
			send()
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}
