package embedded

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

func TestKilledServerTakesItsRedisWithItAndKeepsTheData(t *testing.T) {
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

	// The next server is not refused: it waits until the old Redis has ended.
	_, next := startServer(t, dir, Options{})
	if got := next.Get(t.Context(), "key").Val(); got != "value" {
		t.Errorf("after kill -9 and a new start: %q", got)
	}
}

func waitForURL(t *testing.T, dir string) string {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); <-tick.C {
		url, err := URL(dir)
		if err != nil {
			t.Fatal(err)
		}
		if url != "" {
			return url
		}
	}
	t.Fatal("no redis within 10 s")
	return ""
}
