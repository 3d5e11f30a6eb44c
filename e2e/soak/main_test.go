package soak

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9/logging"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
)

var (
	kills  = flag.Int("kills", 6, "how often an instance is killed")
	rounds = flag.Int("rounds", 1, "how often each other fault happens")
)

// The promised time limits.
const (
	catchUp  = 30 * time.Second // after a fault, until every accepted notice is delivered
	agree    = 30 * time.Second // after that, until badges, browsers and SQL agree
	patience = testkit.Patience // for events without a promised limit
)

// program is the binary under test, built once.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	logging.Disable()
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "carillon")
	build := exec.Command("go", "build", "-o", program, "../../cmd/carillon")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	return pushtest.Wrap(sqltest.Wrap(redistest.Wrap(m))).Run() // servers trust its push services
}
