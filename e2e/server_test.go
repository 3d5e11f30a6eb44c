package e2e

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// patience limits every wait for an event.
const patience = testkit.Patience

// site is the configuration that instances share: the data directory and the flags.
type site struct {
	t     *testing.T
	flags []string
	path  string   // of the public URL; empty: the path in -below
	env   []string // in addition to the tests' own environment
}

// alone returns a single-machine site: SQLite and the built-in Redis.
func alone(t *testing.T) *site {
	t.Helper()
	return &site{t: t, flags: []string{"--data-dir", filepath.Join(t.TempDir(), "data")}}
}

// carillon runs a command to its end and returns its output.
func (s *site) carillon(stdin string, args ...string) string {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(args, s.flags...)...)
	cmd.Stdin = strings.NewReader(stdin)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		s.t.Fatalf("carillon %s: %v\n%s", strings.Join(args, " "), err, errs.String())
	}
	return out.String()
}

const password = "correct horse battery"

// user adds a user with the password above.
func (s *site) user(name string, roles ...string) {
	s.t.Helper()
	args := []string{"user", "add", name, "--password-stdin"}
	for _, r := range roles {
		args = append(args, "--role", r)
	}
	s.carillon(password+"\n", args...)
}

// cutSubscriptions ends every Pub/Sub connection of the site's Redis.
func (s *site) cutSubscriptions() {
	s.t.Helper()
	if err := redistest.Client(s.t).Do(s.t.Context(), "CLIENT", "KILL", "TYPE", "pubsub").Err(); err != nil {
		s.t.Fatalf("cut the subscriptions: %v", err)
	}
}

// instance is one running server.
type instance struct {
	t    *testing.T
	url  string
	cmd  *exec.Cmd
	done chan error
	mu   sync.Mutex
	log  bytes.Buffer
}

var listening = regexp.MustCompile(`^Carillon is at http://(127\.0\.0\.1:\d+)(?:/.*)?$`)

// addr returns the address of the listener.
func (i *instance) addr() string {
	addr, _, _ := strings.Cut(strings.TrimPrefix(i.url, "http://"), "/")
	return addr
}

// serve starts an instance, on a free port unless extra contains an address, and waits until it responds.
func (s *site) serve(extra ...string) *instance {
	s.t.Helper()
	if len(extra) == 0 {
		extra = []string{"--addr", "127.0.0.1:0"}
	}
	args, path := append([]string{"serve"}, extra...), cmp.Or(s.path, *below)
	if at := slices.Index(args, "--addr") + 1; path != "" && at > 0 {
		if args[at] == "127.0.0.1:0" { // the public URL contains the port
			args[at] = testkit.Address()
		}
		args = append(args, "--public-url", "http://"+args[at]+path+"/")
	}
	i := &instance{t: s.t, cmd: exec.Command(program, append(args, s.flags...)...), done: make(chan error, 1)}
	r, w := io.Pipe()
	i.cmd.Stdout, i.cmd.Stderr, i.cmd.Env = w, w, append(os.Environ(), s.env...)
	i.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		runtime.LockOSThread() // Pdeathsig fires when this thread ends
		i.done <- i.cmd.Run()
		_ = w.Close()
	}()
	found := make(chan string, 1)
	go i.read(r, found)
	s.t.Cleanup(func() {
		i.stop()
		if strings.Contains(i.logs(), "eyJ") { // the beginning of every token
			s.t.Error("a user token is in the logs")
		}
	})
	i.url = "http://" + testkit.Until(s.t, "the server prints its address", func() (string, bool) {
		select {
		case addr := <-found:
			return addr, true
		case err := <-i.done:
			i.done <- err
			s.t.Fatalf("the server ended with %v\n%s", err, i.logs())
		default:
		}
		return i.logs(), false
	}) + path
	resp, err := http.Get(i.url + "/readyz")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		s.t.Fatalf("readyz answers %s\n%s", resp.Status, i.logs())
	}
	return i
}

func (i *instance) read(r io.Reader, found chan<- string) {
	sc := bufio.NewScanner(r)
	named := false
	for sc.Scan() {
		i.mu.Lock()
		i.log.WriteString(sc.Text() + "\n")
		i.mu.Unlock()
		if m := listening.FindStringSubmatch(sc.Text()); m != nil && !named {
			named = true
			found <- m[1]
		}
	}
}

func (i *instance) logs() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.log.String()
}

// kill ends the instance with SIGKILL, as abruptly as a power failure.
func (i *instance) kill() {
	_ = i.cmd.Process.Kill()
	if err := <-i.done; err == nil {
		i.t.Error("the server exited before it was killed")
	}
	i.done <- nil
}

// stop ends the instance with SIGTERM and checks that its exit status is 0.
func (i *instance) stop() {
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case err := <-i.done:
		if err != nil && i.cmd.ProcessState.ExitCode() != -1 {
			i.t.Errorf("the server ended with %v\n%s", err, i.logs())
		}
		i.done <- nil
	case <-time.After(patience):
		i.kill()
		i.t.Errorf("the server did not end on SIGTERM\n%s", i.logs())
	}
}
