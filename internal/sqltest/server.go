package sqltest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/carillonhq/carillon/internal/testkit"
)

const superuser = "carillon"

// server is one private PostgreSQL. A goroutine with its own thread keeps it, because the kernel
// ends the server with the thread that started it.
type server struct {
	dir   string // holds the data and the socket
	set   []string
	admin *sql.DB
	quit  chan struct{}
	done  chan struct{}
}

// quick are the settings of a server whose data may be lost.
var quick = []string{"fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=32MB", "autovacuum=off"}

// startServer creates a database cluster and returns when its server responds.
func startServer(settings ...string) (*server, error) {
	bin, err := binaries()
	if err != nil {
		return nil, err
	}
	who, err := account()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "pg") // short: a socket's path has 108 bytes at most
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir, set: settings, quit: make(chan struct{}), done: make(chan struct{})}
	started := make(chan error)
	go s.keep(bin, who, started)
	if err := <-started; err != nil {
		<-s.done
		return nil, err
	}
	return s, nil
}

// keep runs the server until quit, then kills it, because its data is no longer needed.
func (s *server) keep(bin string, who owner, started chan<- error) {
	defer close(s.done)
	defer func() { _ = os.RemoveAll(s.dir) }()
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	cmd, err := s.launch(bin, who)
	if err != nil {
		started <- err
		return
	}
	defer func() {
		_ = cmd.Process.Signal(immediateShutdown)
		_ = cmd.Wait()
	}()
	s.admin, err = sql.Open("pgx", s.url("postgres", nil))
	if err != nil {
		started <- err
		return
	}
	defer func() { _ = s.admin.Close() }()
	if err := s.awaitPing(); err != nil {
		log, _ := os.ReadFile(s.log()) // may be empty
		started <- fmt.Errorf("%w\n%s", err, log)
		return
	}
	started <- nil
	<-s.quit
}

func (s *server) launch(bin string, who owner) (*exec.Cmd, error) {
	data := filepath.Join(s.dir, "data")
	if err := who.own(s.dir); err != nil {
		return nil, err
	}
	initdb := exec.CommandContext(context.Background(), filepath.Join(bin, "initdb"), "-D", data, "-U", superuser,
		"-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
	initdb.Dir, initdb.SysProcAttr = s.dir, who.process()
	if out, err := initdb.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("initdb: %w\n%s", err, out)
	}
	args := []string{"-D", data, "-k", s.dir, "-h", ""}
	for _, set := range append([]string{"max_connections=300", "jit=off", "unix_socket_permissions=0777"}, s.set...) {
		args = append(args, "-c", set)
	}
	// It serves all tests of a package and outlives the context of each.
	cmd := exec.CommandContext(context.Background(), filepath.Join(bin, "postgres"), args...)
	cmd.Dir, cmd.SysProcAttr = s.dir, who.process()
	log, err := os.Create(s.log())
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the child has its own
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run postgres: %w", err)
	}
	return cmd, nil
}

func (s *server) awaitPing() error {
	if err := testkit.Try(s.admin.PingContext); err != nil {
		return fmt.Errorf("postgres does not answer: %w", err)
	}
	return nil
}

func (s *server) stop() {
	close(s.quit)
	<-s.done
}

func (s *server) log() string { return filepath.Join(s.dir, "log") }

func (s *server) url(db string, params url.Values) string {
	if params == nil {
		params = url.Values{}
	}
	params.Set("host", s.dir)
	u := url.URL{Scheme: "postgres", User: url.User(superuser), Path: "/" + db, RawQuery: params.Encode()}
	return u.String()
}

// binaries returns the directory of initdb and postgres. Debian does not put them on the PATH,
// but in one directory per version.
func binaries() (string, error) {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return "", err
	}
	if len(found) > 0 {
		return filepath.Dir(found[len(found)-1]), nil
	}
	path, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("no initdb in /usr/lib/postgresql/*/bin nor on PATH: install postgresql (apt-get install postgresql)")
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", err
	}
	return filepath.Dir(path), nil
}
