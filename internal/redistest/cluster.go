package redistest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/testkit"
)

const (
	masters = 3
	slots   = 16384
)

// Cluster returns a client of a cluster of three masters without replicas. It is closed when the
// test ends. The first call in a process starts the cluster; all tests of the package share it,
// each with its own Space.
func Cluster(t testing.TB) *redis.ClusterClient {
	t.Helper()
	c := &shared.cluster
	c.once.Do(func() { c.nodes, c.err = startCluster() })
	if c.err != nil {
		t.Fatalf("start a cluster: %v", c.err)
	}
	addrs := make([]string, len(c.nodes))
	for i, n := range c.nodes {
		addrs[i] = n.Addr
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: addrs, ClusterStateReloadInterval: time.Second,
		DisableIdentity: true, MaintNotificationsConfig: noMaintenance(),
	})
	t.Cleanup(func() { _ = client.Close() })
	return client
}

func stopCluster() {
	for _, n := range shared.cluster.nodes {
		n.Kill()
	}
}

func startCluster() ([]*Server, error) { return startNodes(masters) }

// startNodes starts this number of nodes and joins them to a cluster. The first three are the
// masters of all slots; the others have none.
func startNodes(number int) (nodes []*Server, err error) {
	defer func() {
		if err != nil {
			for _, n := range nodes {
				n.Kill()
			}
			nodes = nil
		}
	}()
	for range number {
		n, err := startMember()
		if err != nil {
			return nodes, err
		}
		nodes = append(nodes, n)
	}
	clients := make([]*redis.Client, number)
	for i, n := range nodes {
		clients[i] = redis.NewClient(&redis.Options{
			Network: "unix", Addr: n.Socket, DisableIdentity: true, MaintNotificationsConfig: noMaintenance(),
		})
		defer func() { _ = clients[i].Close() }()
	}
	return nodes, join(clients, nodes)
}

func startMember() (n *Server, err error) {
	shared.keeper.do(func() { n, err = start(memberConfig) })
	return n, err
}

func memberConfig(dir string) (addr string, args []string) {
	port := strconv.Itoa(testkit.Port())
	return net.JoinHostPort("127.0.0.1", port), []string{
		"--port", port, "--bind", "127.0.0.1", "--cluster-enabled", "yes",
		"--cluster-config-file", filepath.Join(dir, "nodes.conf"), "--cluster-node-timeout", "5000",
	}
}

// join assigns the slots, introduces the nodes to each other and waits until each of them sees a
// complete cluster.
func join(clients []*redis.Client, nodes []*Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), testkit.Patience)
	defer cancel()
	for i, c := range clients[:masters] {
		from, to := i*slots/masters, (i+1)*slots/masters-1
		if err := c.ClusterAddSlotsRange(ctx, from, to).Err(); err != nil {
			return fmt.Errorf("assign slots to %s: %w", nodes[i].Addr, err)
		}
		if err := c.Do(ctx, "CLUSTER", "SET-CONFIG-EPOCH", i+1).Err(); err != nil {
			return fmt.Errorf("set the epoch of %s: %w", nodes[i].Addr, err)
		}
	}
	for _, n := range nodes[1:] {
		host, port, err := net.SplitHostPort(n.Addr)
		if err != nil {
			return err
		}
		if err := clients[0].ClusterMeet(ctx, host, port).Err(); err != nil {
			return fmt.Errorf("introduce %s to %s: %w", nodes[0].Addr, n.Addr, err)
		}
	}
	return testkit.Try(func(ctx context.Context) error {
		for _, c := range clients {
			if err := whole(ctx, c, len(nodes)); err != nil {
				return err
			}
		}
		return nil
	})
}

func whole(ctx context.Context, c *redis.Client, nodes int) error {
	info, err := c.ClusterInfo(ctx).Result()
	if err != nil {
		return err
	}
	for _, want := range []string{"cluster_state:ok", "cluster_known_nodes:" + strconv.Itoa(nodes), "cluster_slots_assigned:16384"} {
		if !strings.Contains(info, want+"\r\n") {
			return errors.New("the cluster lacks " + want)
		}
	}
	return nil
}
