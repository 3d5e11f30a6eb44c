package embedded

import (
	"os"
	"os/exec"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestAKilledServerStopsItsRedisAndKeepsTheData(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), "EMBEDDED_TEST_DIR="+dir)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	url := waitForURL(t, dir)
	rdb := client(t, url)
	if err := rdb.Set(t.Context(), "key", "value", 0).Err(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()

	// The next server is not rejected: it waits until the old Redis has ended.
	_, next := startServer(t, dir, Options{})
	if got := next.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("after kill -9 and a new start: %q", got)
	}
}

func waitForURL(t *testing.T, dir string) (url string) {
	t.Helper()
	testkit.Eventually(t, "redis runs", func() bool {
		var err error
		if url, err = URL(dir); err != nil {
			t.Fatal(err)
		}
		return url != ""
	})
	return url
}
