package main

import (
	"bytes"
	"context"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9/logging"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

func TestMain(m *testing.M) {
	if os.Getenv("CARILLON_TEST_MAIN") != "" {
		main() // the test binary runs itself as carillon
	}
	logging.Disable()
	// The pool of a closed client keeps trying to reach a lost server for up to a second.
	goleak.VerifyTestMain(pushtest.Wrap(sqltest.Wrap(redistest.Wrap(m))),
		goleak.IgnoreAnyFunction("github.com/redis/go-redis/v9/internal/pool.(*ConnPool).tryDial"))
}

// call is one invocation of carillon with its own environment.
type call struct {
	env   map[string]string
	stdin string
}

// result is the exit status and the output of a call.
type result struct {
	status      int
	out, errors string
}

func (c call) run(ctx context.Context, args ...string) result {
	var out, errors bytes.Buffer
	status := c.stream(ctx, &out, &errors, args...)
	return result{status, out.String(), errors.String()}
}

func (c call) stream(ctx context.Context, stdout, stderr io.Writer, args ...string) int {
	p := &program{
		args: args, stdin: strings.NewReader(c.stdin), stdout: stdout, stderr: stderr,
		lookup: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok },
		names:  func() []string { return slices.Collect(maps.Keys(c.env)) },
	}
	return p.run(ctx)
}

// in returns a call that uses a data directory.
func in(dir string) call { return call{env: map[string]string{"CARILLON_DATA_DIR": dir}} }

func (c call) with(name, value string) call {
	env := map[string]string{name: value}
	for k, v := range c.env {
		if k != name {
			env[k] = v
		}
	}
	return call{env: env, stdin: c.stdin}
}

func (c call) typing(stdin string) call { return call{env: c.env, stdin: stdin} }

// must fails the test unless carillon ends with status 0.
func must(t *testing.T, r result) result {
	t.Helper()
	if r.status != 0 {
		t.Fatalf("status %d: %s%s", r.status, r.errors, r.out)
	}
	return r
}

// wantWords fails the test for each word missing from the text.
func wantWords(t *testing.T, text string, words ...string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(text, word) {
			t.Errorf("no %q in:\n%s", word, text)
		}
	}
}
