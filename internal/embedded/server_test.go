package embedded

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("EMBEDDED_TEST_DIR"); dir != "" {
		serveUntilKilled(dir)
	}
	goleak.VerifyTestMain(m)
}

// none is a program list that finds no Redis.
var none = []string{"carillon-test-no-such-program"}

func startServer(t *testing.T, dir string, o Options) (*Server, *redis.Client) {
	t.Helper()
	lock, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), lock, o)
	if err != nil {
		t.Fatal(err)
	}
	rdb := client(t, s.URL())
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if err := lock.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, rdb
}

func client(t *testing.T, url string) *redis.Client {
	t.Helper()
	o, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(o)
	t.Cleanup(func() { _ = rdb.Close() })
	return rdb
}

func TestChildAndSubstituteAnswerAtTheURLInTheDirectory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		programs []string
		inMemory bool
	}{"a child": {nil, false}, "in memory": {none, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s, rdb := startServer(t, dir, Options{Programs: c.programs})
			if got := !strings.HasPrefix(s.URL(), "unix://"); got != c.inMemory {
				t.Fatalf("in memory %v, want %v", got, c.inMemory)
			}
			if err := rdb.Set(t.Context(), "key", "value", 0).Err(); err != nil {
				t.Fatal(err)
			}
			url, err := URL(dir)
			if err != nil || url != s.URL() {
				t.Fatalf("URL = %q, %v; want %q", url, err, s.URL())
			}
			if got := client(t, url).Get(t.Context(), "key").Val(); got != "value" {
				t.Errorf("a command beside the server reads %q", got)
			}
			info, err := os.Stat(urlFile(dir))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("redis.url: mode %v, %v; want 0600", info.Mode(), err)
			}
		})
	}
}

func TestCloseRemovesTheURL(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	s, err := Start(t.Context(), lock, Options{Programs: none})
	if err != nil {
		t.Fatal(err)
	}
	if err = s.Close(); err != nil {
		t.Fatal(err)
	}
	if url, err := URL(dir); url != "" || err != nil {
		t.Errorf("URL = %q, %v; want nothing", url, err)
	}
}

func TestDataSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), lock, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err = client(t, s.URL()).Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err = s.Close(); err != nil {
		t.Fatal(err)
	}
	if err = lock.Close(); err != nil {
		t.Fatal(err)
	}
	_, rdb := startServer(t, dir, Options{})
	if got := rdb.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("after the restart: %q", got)
	}
}

func TestDeadChildIsRestarted(t *testing.T) {
	t.Parallel()
	_, rdb := startServer(t, t.TempDir(), Options{})
	if err := rdb.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	before := info(t, rdb, "run_id")
	pid, err := strconv.Atoi(info(t, rdb, "process_id"))
	if err != nil {
		t.Fatal(err)
	}
	if err = syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "redis is started again", func() bool {
		after := info(t, rdb, "run_id")
		return after != "" && after != before
	})
	if got := rdb.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("the new redis has %q", got)
	}
}

func info(t *testing.T, rdb *redis.Client, field string) string {
	t.Helper()
	_, rest, _ := strings.Cut(rdb.Info(t.Context(), "server").Val(), field+":")
	value, _, _ := strings.Cut(rest, "\r\n")
	return value
}

func TestLongDataDirectoryPathStillGetsASocket(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), strings.Repeat("long/", 30))
	s, rdb := startServer(t, dir, Options{})
	if err := rdb.Ping(t.Context()).Err(); err != nil {
		t.Fatalf("%s: %v", s.URL(), err)
	}
}

// serveUntilKilled is the main function of the re-executed test binary.
func serveUntilKilled(dir string) {
	lock, err := LockDir(dir)
	if err == nil {
		_, err = Start(context.Background(), lock, Options{Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	}
	if err != nil {
		slog.Error("start", "err", err)
		os.Exit(1)
	}
	select {}
}
