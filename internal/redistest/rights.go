package redistest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// LeastRights creates a user with the rights documented in docs/operations.md, for a prefix, on one server or on each
// node of a cluster. It returns USER:PASSWORD@ for an address. At the end of the test, it fails if the user tried anything
// else, unless more contains rules that remove rights.
func LeastRights(t testing.TB, rdb redis.UniversalClient, prefix string, more ...string) string {
	t.Helper()
	const password = "least-rights"
	name := "user-" + strings.NewReplacer("/", "-", " ", "-").Replace(t.Name())
	args := []any{"ACL", "SETUSER", name}
	for _, word := range documented(t)[3:] { // the words before are the command and the name
		word = strings.ReplaceAll(word, "carillon:", prefix)
		args = append(args, strings.ReplaceAll(word, "PASSWORD", password))
	}
	for _, rule := range more {
		args = append(args, rule)
	}
	nodes := []redis.UniversalClient{rdb}
	if cluster, ok := rdb.(*redis.ClusterClient); ok {
		nodes = nil
		for _, addr := range cluster.Options().Addrs {
			nodes = append(nodes, client(t, "tcp", addr))
		}
	}
	for _, node := range nodes {
		if err := node.Do(t.Context(), args...).Err(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	if len(more) > 0 {
		return name + ":" + password + "@"
	}
	t.Cleanup(func() {
		var refused []string
		for _, node := range nodes {
			log, err := node.ACLLog(context.WithoutCancel(t.Context()), 128).Result()
			if err != nil {
				t.Error(err)
			}
			for _, entry := range log {
				if entry.Username == name {
					refused = append(refused, fmt.Sprintf("%s %q in %s", entry.Reason, entry.Object, entry.Context))
				}
			}
		}
		slices.Sort(refused)
		for _, what := range slices.Compact(refused) {
			t.Errorf("the line for ACL SETUSER in docs/operations.md does not allow %s", what)
		}
	})
	return name + ":" + password + "@"
}

var aclLine = regexp.MustCompile(`(?m)^ACL SETUSER carillon .*$`)

// documented returns the words of the line in docs/operations.md.
func documented(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	line := aclLine.FindString(string(text))
	if line == "" {
		t.Fatal("docs/operations.md has no line that begins with ACL SETUSER carillon")
	}
	return strings.Fields(line)
}

// root returns the directory with go.mod.
func root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != "/" {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		dir = filepath.Dir(dir)
	}
	t.Fatalf("find go.mod: %v", err)
	return ""
}
