package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
)

// Pair is a master with a replica, and a way to promote the replica.
type Pair struct {
	Master, Replica *Server
	Addrs           []string // addresses of Sentinel, or of all nodes of the cluster

	promote func(context.Context) error // is repeated until clients are sent to the replica
}

// SentinelMaster is the name of the master of every Pair under Sentinel.
const SentinelMaster = "main"

// Sentinel starts a pair for this test under one Sentinel. It fails over only when FailOver commands it: by itself it would
// do so after any stall of a busy machine, and it elects no replica that has been detached for longer than ten times the
// limit after which it considers a master dead.
func Sentinel(t testing.TB) *Pair {
	t.Helper()
	p := &Pair{Master: ownNode(t, portConfig)}
	host, port, err := net.SplitHostPort(p.Master.Addr)
	if err != nil {
		t.Fatal(err)
	}
	p.Replica = ownNode(t, func(dir string) (string, []string) {
		addr, args := portConfig(dir)
		return addr, append(args, "--replicaof", host+" "+port)
	})
	attached(t, p.Replica)
	s := ownNode(t, func(dir string) (string, []string) {
		addr, args := portConfig(dir)
		file := filepath.Join(dir, "sentinel.conf")
		text := fmt.Sprintf(`sentinel monitor %[1]s %[2]s %[3]s 1
sentinel down-after-milliseconds %[1]s %[4]d
`, SentinelMaster, host, port, time.Hour.Milliseconds())
		_ = os.WriteFile(file, []byte(text), 0o600) // without the file the start fails with its reason
		return addr, append([]string{file, "--sentinel"}, args...)
	})
	p.Addrs = []string{s.Addr}
	watch := s.Client(t)
	awaits(t, "Sentinel knows the replica", func(ctx context.Context) error {
		return contains(watch.Do(ctx, "SENTINEL", "REPLICAS", SentinelMaster), p.Replica.Addr, "master-link-status:ok")
	})
	// After a stall of two seconds a Sentinel would only watch for the next half minute.
	if err := watch.Do(t.Context(), "SENTINEL", "DEBUG", "TILT-TRIGGER", time.Hour.Milliseconds()).Err(); err != nil {
		t.Fatal(err)
	}
	_, replica, _ := net.SplitHostPort(p.Replica.Addr)
	p.promote = func(ctx context.Context) error {
		err := contains(watch.Do(ctx, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", SentinelMaster), replica)
		if err != nil { // it may have refused, or given up, an earlier command
			err = errors.Join(err, watch.Do(ctx, "SENTINEL", "FAILOVER", SentinelMaster).Err())
		}
		return err
	}
	return p
}

// OwnCluster starts a cluster for this test: three masters, one of which, Master, has a replica.
func OwnCluster(t testing.TB) *Pair {
	t.Helper()
	nodes, err := startNodes(masters + 1)
	if err != nil {
		t.Fatalf("start a cluster: %v", err)
	}
	p := &Pair{Master: nodes[0], Replica: nodes[masters]}
	for _, n := range nodes {
		t.Cleanup(n.Kill)
		p.Addrs = append(p.Addrs, n.Addr)
	}
	id, err := p.Master.Client(t).Do(t.Context(), "CLUSTER", "MYID").Text()
	if err != nil {
		t.Fatal(err)
	}
	replica := p.Replica.Client(t)
	awaits(t, "the replica knows its master", func(ctx context.Context) error {
		return replica.Do(ctx, "CLUSTER", "REPLICATE", id).Err()
	})
	attached(t, p.Replica)
	other := nodes[1].Client(t)
	awaits(t, "the cluster knows the replica", func(ctx context.Context) error {
		return contains(other.Do(ctx, "CLUSTER", "SLOTS"), strings.TrimPrefix(p.Replica.Addr, "127.0.0.1:"))
	})
	p.promote = func(ctx context.Context) error { return replica.Do(ctx, "CLUSTER", "FAILOVER", "TAKEOVER").Err() }
	return p
}

// FailOver kills the master and returns when the replica, with its own data, is the
// master.
func (p *Pair) FailOver(t testing.TB) {
	t.Helper()
	p.Master.Crash(t)
	awaits(t, "promote the replica", p.promote)
	c := p.Replica.Client(t)
	awaits(t, "the replica is a master", func(ctx context.Context) error {
		return contains(c.Info(ctx, "replication"), "role:master")
	})
}

func portConfig(string) (addr string, args []string) {
	port := strconv.Itoa(testkit.Port())
	return net.JoinHostPort("127.0.0.1", port), []string{"--port", port, "--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"}
}

// ownNode starts a server for this test with a port.
func ownNode(t testing.TB, config func(dir string) (string, []string)) (s *Server) {
	t.Helper()
	var err error
	shared.keeper.do(func() { s, err = start(config) })
	if err != nil {
		t.Fatalf("start redis-server: %v", err)
	}
	t.Cleanup(s.Kill)
	return s
}

func attached(t testing.TB, replica *Server) {
	t.Helper()
	c := replica.Client(t)
	awaits(t, "the replica is in sync with the master", func(ctx context.Context) error {
		return contains(c.Info(ctx, "replication"), "master_link_status:up")
	})
}

// awaits waits until check returns nil.
func awaits(t testing.TB, what string, check func(context.Context) error) {
	t.Helper()
	if err := testkit.Try(check); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// contains returns an error unless a reply contains all these words, at any depth.
func contains(cmd redis.Cmder, words ...string) error {
	if cmd.Err() != nil {
		return cmd.Err()
	}
	text := fmt.Sprint(cmd)
	for _, word := range words {
		if !strings.Contains(text, word) {
			return errors.New("the answer lacks " + word)
		}
	}
	return nil
}
