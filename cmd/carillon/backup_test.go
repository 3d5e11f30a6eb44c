package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// A sender sends one notice after another to several users while the backup is made. After the restore each of them
// has the same notices: all up to some notice, and at least those accepted before the backup began. No data of Redis
// is kept.
func TestARestoredInstanceHasEachAcceptedNoticeWhole(t *testing.T) {
	t.Parallel()
	const crowd, most = 5, 190 // an inbox has room for 200
	c := in(t.TempDir())
	for n := range crowd {
		must(t, c.run(t.Context(), "user", "add", fmt.Sprint("u", n), "--role", "crowd"))
	}
	must(t, c.typing("u0-secret").run(t.Context(), "user", "passwd", "u0", "--password-stdin"))
	first := serve(t, c)
	key := strings.TrimSpace(must(t, c.run(t.Context(), "key", "add", "shop", "--scope", "send,read")).out)
	var shop addedApp
	decode(t, must(t, c.run(t.Context(), "app", "add", "shop", "--json")).out, &shop)
	user := visit(t, first.URL)
	user.signIn(t, "u0", "u0-secret")
	var accepted atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for n := range most {
			select {
			case <-stop:
				return
			default:
			}
			body := fmt.Sprintf(`{"target": {"role": "crowd"}, "type": "order", "title": "Order %03d"}`, n)
			if status, answer := application(t, first, key, http.MethodPost, "/notices", body); status != http.StatusAccepted {
				t.Errorf("notice %d: %d %s", n, status, answer)
				return
			}
			accepted.Add(1)
		}
	}()
	testkit.Eventually(t, "some are accepted", func() bool { return accepted.Load() >= 10 })
	least := int(accepted.Load())
	file := filepath.Join(t.TempDir(), "carillon.backup")
	r := must(t, c.run(t.Context(), "backup", file))
	wantWords(t, r.out, "backed up ", " bytes to "+file)
	wantWords(t, r.errors, "backing up: 100 %")
	close(stop)
	<-stopped

	other := in(t.TempDir())
	r = must(t, other.run(t.Context(), "restore", file))
	wantWords(t, r.out, fmt.Sprintf("restored %d users and ", crowd), "by carillon ")
	wantWords(t, r.errors, "restoring: 100 %")
	second := serve(t, other)
	var notices []string
	for n := range crowd {
		var titles []string
		read := func() []string {
			var poll struct{ Notices []struct{ Title string } }
			_, answer := application(t, second, key, http.MethodGet, fmt.Sprintf("/users/u%d/notices?limit=200", n), "")
			decode(t, answer, &poll)
			titles = titles[:0]
			for _, notice := range poll.Notices {
				titles = append(titles, notice.Title)
			}
			slices.Sort(titles)
			return titles
		}
		var want int
		if _, err := fmt.Sscanf(strings.SplitAfter(r.out, "and ")[1], "%d notices", &want); err != nil {
			t.Fatalf("%v in %s", err, r.out)
		}
		testkit.Eventually(t, "all notices of the backup are delivered", func() bool { return len(read()) >= want })
		if len(titles) < least || titles[len(titles)-1] != fmt.Sprintf("Order %03d", len(titles)-1) {
			t.Errorf("u%d has %d notices up to %s; at least %d were accepted", n, len(titles), titles[len(titles)-1], least)
		}
		if notices == nil {
			notices = slices.Clone(titles)
		}
		if !slices.Equal(titles, notices) {
			t.Errorf("u%d has %v, and u0 %v", n, titles, notices)
		}
	}
	// The keys come from the backup: sessions continue, and sealed secrets can be read.
	if got := (browser{user.Client, second.URL}).entries(t); len(got) == 0 {
		t.Error("the session of the first instance has no inbox at the second")
	}
	token := signedToken(t, shop.TokenKey, time.Now().Unix(), time.Now().Unix()+900)
	wantWords(t, must(t, other.run(t.Context(), "doctor", "--app", "shop", "--token", token)).out, "the token is good")
}

func TestARestoreReplacesDataOnlyByForce(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	must(t, c.run(t.Context(), "user", "add", "anna"))
	file := filepath.Join(t.TempDir(), "backup")
	must(t, c.run(t.Context(), "backup", file))
	must(t, c.run(t.Context(), "user", "add", "bob"))

	refused := func(what string, r result, words ...string) {
		t.Helper()
		if r.status == exitDone || strings.Count(r.errors, "\n") > 1 {
			t.Errorf("%s: status %d, %s%s", what, r.status, r.out, r.errors)
		}
		wantWords(t, r.errors, words...)
	}
	refused("over users", c.run(t.Context(), "restore", file), "has a database with users or notices", "--force")
	refused("over a backup", c.run(t.Context(), "backup", file), file, "exists")
	refused("without a file", c.run(t.Context(), "restore", file+".none"), file+".none")
	s := serve(t, c)
	refused("beside a server", c.run(t.Context(), "restore", "--force", file), "in use", strconv.Itoa(os.Getpid()))
	s.stop()
	if r := must(t, c.run(t.Context(), "restore", "--force", file)); !strings.HasPrefix(r.out, "restored 1 user and 0 notices, made 2") {
		t.Errorf("it prints %s", r.out)
	}
	if out := must(t, c.run(t.Context(), "user", "list")).out; !strings.HasPrefix(out, "anna\t") || strings.Contains(out, "bob") {
		t.Errorf("the users are %s", out)
	}
	if _, err := os.Stat(filepath.Join(c.env["CARILLON_DATA_DIR"], "redis")); !os.IsNotExist(err) {
		t.Errorf("the file of the built-in Redis is still there: %v", err)
	}

	// An external Redis may also contain newer data, and data of other programs.
	rdb := redistest.Client(t)
	shared := in(t.TempDir()).with("CARILLON_REDIS_URL", "unix://"+redistest.Socket(t)).with("CARILLON_REDIS_PREFIX", t.Name()+"*:")
	mine, others := t.Name()+"*:{a}", t.Name()+"other"
	if err := rdb.MSet(t.Context(), mine, 1, others, 1).Err(); err != nil {
		t.Fatal(err)
	}
	refused("beside keys", shared.run(t.Context(), "restore", file), "redis has keys", "--redis-prefix", "--force")
	must(t, shared.run(t.Context(), "restore", "--force", file))
	if found := rdb.Exists(t.Context(), mine, others).Val(); found != 1 || rdb.Get(t.Context(), others).Val() != "1" {
		t.Errorf("%d keys are left; want that of others", found)
	}

	dump := c.with("CARILLON_DATABASE_URL", "postgres://nowhere.invalid/carillon")
	refused("PostgreSQL", dump.run(t.Context(), "backup", file), "pg_dump")
	refused("PostgreSQL", dump.run(t.Context(), "restore", file), "pg_restore")
}
