package e2e

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/source"
)

// The bell follows a commit on PostgreSQL without waiting for the next read; the log has how long it takes.
func TestABellFollowsACommitByNotification(t *testing.T) {
	t.Parallel()
	shop := shopDatabases(t)[2]
	if shop.dialect != source.Postgres {
		t.Fatal(shop.dialect)
	}
	s := alone(t)
	s.env = []string{source.Prefix + "SHOP=" + shop.source}
	file := filepath.Join(t.TempDir(), "rules.toml")
	if err := os.WriteFile(file, []byte("[[outbox]]\nname = \"shop\"\nsource = \"SHOP\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.user("ann")
	i := s.serve("--addr", "127.0.0.1:0", "--rules", file, "--identity-header", "X-User", "--identity-from", "127.0.0.1")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, i.url+"/events", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-User", "ann")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	events := bufio.NewScanner(res.Body)
	read := func(word string) {
		for events.Scan() {
			if strings.Contains(events.Text(), word) {
				return
			}
		}
		t.Fatalf("the stream ended before %q: %v\n%s", word, events.Err(), i.logs())
	}
	var took []time.Duration
	for n := range 40 {
		name := fmt.Sprintf("at-once-%d", n)
		if err := order(shop.db, name, false); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		read(name)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	t.Logf("from a commit to the bell: p50 %v, p90 %v", took[20], took[36])
	if took[20] > time.Second/2 { // reading once a second takes longer
		t.Errorf("it is not notified: %v", took)
	}
}
