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
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/carillonhq/carillon/internal/testkit"
)

// mariaPassword is that of the users of databases from MariaDB: one that needs escaping in an address.
const mariaPassword = `p@ss/w#rd?%`

// maria is the MariaDB shared by the tests of one process, as shared is the PostgreSQL.
var maria struct {
	once   sync.Once
	server *mariadb
	err    error
}

// mariadb is one private MariaDB on a socket. Like server, a goroutine with its own thread keeps it.
type mariadb struct {
	dir   string
	admin *sql.DB
	quit  chan struct{}
	done  chan struct{}
}

// MariaDB returns the mysql:// address of an empty database for this test. Its user has all rights there, and no others.
func MariaDB(t testing.TB) string {
	t.Helper()
	maria.once.Do(func() { maria.server, maria.err = startMariaDB() })
	if maria.err != nil {
		t.Fatalf("start MariaDB: %v", maria.err)
	}
	name := fmt.Sprintf("m%d", shared.made.Add(1))
	MariaAdmin(t, `CREATE DATABASE `+name+` CHARACTER SET utf8mb4`)
	return MariaUser(t, name, name, `ALL ON `+name+`.*`)
}

// MariaUser returns the address of a database for a new user who has exactly these rights, such as `SELECT ON db.t`.
func MariaUser(t testing.TB, db, user string, rights ...string) string {
	t.Helper()
	MariaAdmin(t, `CREATE USER `+user+`@localhost IDENTIFIED BY '`+mariaPassword+`'`)
	for _, right := range rights {
		MariaAdmin(t, `GRANT `+right+` TO `+user+`@localhost`)
	}
	u := url.URL{Scheme: "mysql", User: url.UserPassword(user, mariaPassword), Path: "/" + db, RawQuery: url.Values{"socket": {maria.server.socket()}}.Encode()}
	return u.String()
}

// MariaDSN converts an address of MariaDB for sql.Open("mysql", …).
func MariaDSN(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.ParseTime = u.User.Username(), "unix", u.Query().Get("socket"), strings.TrimPrefix(u.Path, "/"), true
	c.Passwd, _ = u.User.Password()
	return c.FormatDSN()
}

// CutMariaDB makes MariaDB refuse the user of an address, and ends its connections. MendMariaDB ends the outage.
func CutMariaDB(t testing.TB, address string) {
	t.Helper()
	user := mariaUser(t, address)
	MariaAdmin(t, `ALTER USER `+user+`@localhost ACCOUNT LOCK`)
	MariaAdmin(t, `KILL USER `+user+`@localhost`)
}

// MendMariaDB ends the outage that CutMariaDB began.
func MendMariaDB(t testing.TB, address string) {
	t.Helper()
	MariaAdmin(t, `ALTER USER `+mariaUser(t, address)+`@localhost ACCOUNT UNLOCK`)
}

// MariaAdmin runs one statement as the administrator.
func MariaAdmin(t testing.TB, statement string) {
	t.Helper()
	if _, err := maria.server.admin.ExecContext(context.Background(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func mariaUser(t testing.TB, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.User.Username()
}

func startMariaDB() (*mariadb, error) {
	dir, err := os.MkdirTemp("", "maria") // short: a socket's path has 108 bytes at most
	if err != nil {
		return nil, err
	}
	s := &mariadb{dir: dir, quit: make(chan struct{}), done: make(chan struct{})}
	started := make(chan error)
	go s.keep(started)
	if err := <-started; err != nil {
		<-s.done
		return nil, err
	}
	return s, nil
}

// keep runs the server until quit, then kills it, because its data is no longer needed.
func (s *mariadb) keep(started chan<- error) {
	defer close(s.done)
	defer func() { _ = os.RemoveAll(s.dir) }()
	runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
	cmd, err := s.launch()
	if err != nil {
		started <- err
		return
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	s.admin, err = sql.Open("mysql", "root@unix("+s.socket()+")/")
	if err == nil {
		defer func() { _ = s.admin.Close() }()
		err = testkit.Try(s.admin.PingContext)
	}
	if err != nil {
		log, _ := os.ReadFile(s.log()) // may be empty
		started <- fmt.Errorf("mariadbd does not answer: %w\n%s", err, log)
		return
	}
	started <- nil
	<-s.quit
}

func (s *mariadb) launch() (*exec.Cmd, error) {
	install, err := exec.LookPath("mariadb-install-db")
	if err != nil {
		return nil, errors.New("no mariadb-install-db on PATH: install mariadb-server (apt-get install mariadb-server)")
	}
	server, err := exec.LookPath("mariadbd")
	if err != nil {
		server = "/usr/sbin/mariadbd" // Debian does not put it on the PATH of users
	}
	args := []string{"--no-defaults", "--datadir=" + filepath.Join(s.dir, "data"), "--innodb-log-file-size=8M", "--innodb-flush-method=nosync"}
	if os.Geteuid() == 0 {
		args = append(args, "--user=root") // it refuses to run as root unless it is told to
	}
	create := exec.CommandContext(context.Background(), install, append(args, "--auth-root-authentication-method=normal", "--skip-test-db")...)
	if out, err := create.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("mariadb-install-db: %w\n%s", err, out)
	}
	log, err := os.Create(s.log())
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the child has its own
	// It serves all tests of a package and outlives the context of each.
	cmd := exec.CommandContext(context.Background(), server, append(args, "--socket="+s.socket(), "--skip-networking", "--pid-file="+filepath.Join(s.dir, "pid"),
		"--max-connections=300", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M")...)
	cmd.SysProcAttr = endWithParent()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("run mariadbd: %w", err)
	}
	return cmd, nil
}

func (s *mariadb) stop() {
	close(s.quit)
	<-s.done
}

func (s *mariadb) socket() string { return filepath.Join(s.dir, "socket") }

func (s *mariadb) log() string { return filepath.Join(s.dir, "log") }
