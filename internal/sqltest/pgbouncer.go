package sqltest

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/carillonhq/carillon/internal/testkit"
)

// PgBouncer is a pooler before the server of the tests.
type PgBouncer struct {
	URL    string // of its own database, through the pooler
	Direct string // the same, without it

	dir     string
	process *os.Process
}

// Password makes the pooler require this password from the user in URL; initially it requires none.
func (p *PgBouncer) Password(t testing.TB, password string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, "users"), []byte(strconv.Quote(superuser)+" "+strconv.Quote(password)+"\n"), 0o644); err != nil { // no secret, and another user reads it
		t.Fatal(err)
	}
	file := filepath.Join(p.dir, "pgbouncer.ini")
	text, err := os.ReadFile(file)
	if err == nil {
		text = []byte(strings.Replace(string(text), "auth_type = any", "auth_type = plain\nauth_file = "+filepath.Join(p.dir, "users"), 1))
		err = os.WriteFile(file, text, 0o644) // no secret, and another user reads it
	}
	if err == nil {
		err = p.process.Signal(syscall.SIGHUP)
	}
	if err != nil {
		t.Fatal(err)
	}
	with := func(password string) error {
		u, _ := url.Parse(p.URL)
		u.User = url.UserPassword(u.User.Username(), password)
		conn, err := pgx.Connect(t.Context(), u.String())
		if err == nil {
			_ = conn.Close(t.Context())
		}
		return err
	}
	testkit.Eventually(t, "pgbouncer asks for the password", func() bool { return with(password) == nil && with("another") != nil })
}

// Pooled starts a PgBouncer in transaction mode for this test, as packaged by Debian, with few connections to PostgreSQL,
// so that clients share them. Settings are lines of its file, such as "query_wait_timeout = 5".
func Pooled(t testing.TB, settings ...string) *PgBouncer {
	t.Helper()
	direct := OwnURL(t)
	name := database(t, direct)
	path, err := exec.LookPath("pgbouncer")
	if err != nil {
		path = "/usr/sbin/pgbouncer" // Debian does not put it on the PATH of users
	}
	who, err := account()
	if err != nil {
		t.Fatal(err)
	}
	port := testkit.Port()
	dir := filepath.Join(shared.server.dir, "pgbouncer-"+strconv.Itoa(port)) // a directory that its user may enter
	if err = os.Mkdir(dir, 0o700); err == nil {
		err = who.own(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	lines := append([]string{
		"[databases]", fmt.Sprintf("%[1]s = host=%[2]s dbname=%[1]s user=%[3]s", name, shared.server.dir, superuser), "[pgbouncer]",
		"listen_addr = 127.0.0.1", "listen_port = " + strconv.Itoa(port), "unix_socket_dir =", "auth_type = any",
		"pool_mode = transaction", "default_pool_size = 4", "max_client_conn = 500",
	}, settings...)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil { // no secret, and another user reads it
		t.Fatal(err)
	}
	var log strings.Builder
	cmd := exec.CommandContext(context.Background(), path, file) // ended below
	cmd.SysProcAttr = who.as(&syscall.SysProcAttr{})             // the thread of a test may end before it
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatalf("run pgbouncer (apt-get install pgbouncer): %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Host: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), Path: "/" + name, RawQuery: "sslmode=disable"}
	p := &PgBouncer{URL: u.String(), Direct: direct, dir: dir, process: cmd.Process}
	p.await(t)
	return p
}

func (p *PgBouncer) await(t testing.TB) {
	t.Helper()
	err := testkit.Try(func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, p.URL)
		if err == nil {
			_ = conn.Close(ctx)
		}
		return err
	})
	if err != nil {
		t.Fatalf("pgbouncer does not answer: %v", err)
	}
}
