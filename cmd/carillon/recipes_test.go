package main

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"flag"
	"fmt"
	"net"
	"net/http"
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

// traefik is tested where there is one: Debian has none.
var traefik = flag.String("traefik", "", "the path of a Traefik to test its recipes with")

// The recipes for proxies in deploy/ are tested with the real programs.
var recipes = map[string]map[string]string{
	"nginx":   {"host": "nginx.conf", "path": "nginx-path.conf", "forward-auth": "nginx-forward-auth.conf"},
	"apache2": {"host": "apache.conf", "path": "apache-path.conf"}, // it cannot ask an application who is signed in
	"caddy":   {"host": "Caddyfile", "path": "Caddyfile.path", "forward-auth": "Caddyfile.forward-auth"},
	"traefik": {"host": "traefik.yaml", "path": "traefik-path.yaml", "forward-auth": "traefik-forward-auth.yaml"},
}

// proxies returns the recipes of this kind by the programs that are here.
func proxies(kind string) map[string]string {
	all := map[string]string{}
	for program, of := range recipes {
		if of[kind] != "" && (program != "traefik" || *traefik != "") {
			all[program] = of[kind]
		}
	}
	return all
}

// recipe returns the text of a recipe.
func recipe(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
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
func front(t *testing.T, program, name, application, carillon string) browser {
	t.Helper()
	dir := t.TempDir()
	certificate(t, dir)
	addr := testkit.Address()
	conf := strings.NewReplacer("127.0.0.1:8080", carillon, "127.0.0.1:3000", application).Replace(recipe(t, name))
	switch program {
	case "nginx":
		conf = strings.Replace(conf, "listen 443", "listen "+addr, 1)
		conf = regexp.MustCompile(`/etc/ssl/\S+\.(pem|key);`).ReplaceAllString(conf, dir+"/cert.$1;")
		conf = "daemon off; master_process off; pid " + dir + "/pid; error_log stderr; events {}\nhttp { access_log off; " + temporary(dir) + "\n" + conf + "}\n"
	case "apache2":
		conf = strings.Replace(conf, "*:443", addr, 1)
		conf = regexp.MustCompile(`/etc/ssl/\S+\.(pem|key)\n`).ReplaceAllString(conf, dir+"/cert.$1\n")
		conf = debianApache(dir, addr) + conf
	case "traefik":
		conf = regexp.MustCompile(`/etc/ssl/\S+\.(pem|key)\n`).ReplaceAllString(conf, dir+"/cert.$1\n")
	default:
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
	file := filepath.Join(dir, "conf.yaml") // the name says something to Traefik only
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	args := map[string][]string{
		"nginx": {"-p", dir, "-c", file}, "apache2": {"-X", "-d", dir, "-f", file}, "caddy": {"run", "--adapter", "caddyfile", "--config", file},
		"traefik": {"--entryPoints.websecure.address=" + addr, "--providers.file.filename=" + file},
	}[program]
	if program == "traefik" {
		program = *traefik
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

// debianApache is what Debian configures around a site, with the modules that the recipes name.
func debianApache(dir, addr string) string {
	const mods = "/etc/apache2/mods-available/"
	lines := []string{
		"ServerName localhost", "User www-data", "Group www-data", "ErrorLog /dev/stderr", "PidFile " + dir + "/pid", "DefaultRuntimeDir " + dir, "Mutex pthread", "Listen " + addr,
	}
	for _, name := range []string{"mpm_event", "authz_core", "alias", "filter", "deflate", "reqtimeout", "ssl", "http2", "proxy", "proxy_http", "headers"} {
		lines = append(lines, "Include "+mods+name+".load")
	}
	for _, name := range []string{"mpm_event", "deflate", "reqtimeout"} {
		lines = append(lines, "Include "+mods+name+".conf")
	}
	return strings.Join(lines, "\n") + "\n"
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
