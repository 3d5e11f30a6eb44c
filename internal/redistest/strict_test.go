package redistest

import (
	"errors"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// watched returns a strict client and the faults that it finds.
func watched(t *testing.T) (c *redis.Client, faults func() []string) {
	t.Helper()
	var found []string
	c = Client(t)
	c.AddHook(newStrict(func(fault string) { found = append(found, fault) }))
	return c, func() []string {
		all := found
		found = nil
		return all
	}
}

func TestKeysOfTwoSlotsAreAFault(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, faults := watched(t)
	const one, same, other = "{strict1}a", "{strict1}b", "{strict2}a"
	script := redis.NewScript("return #KEYS")
	for name, do := range map[string]func(second string) error{
		"script":  func(second string) error { return script.Run(ctx, c, []string{one, second}).Err() },
		"eval":    func(second string) error { return c.Eval(ctx, "return 1", []string{one, second}).Err() },
		"command": func(second string) error { return c.Del(ctx, one, second).Err() },
		"reading groups": func(second string) error {
			return c.XRead(ctx, &redis.XReadArgs{Streams: []string{one, second, "0", "0"}, Block: -1}).Err()
		},
		"union": func(second string) error { return c.ZUnionStore(ctx, one, &redis.ZStore{Keys: []string{second}}).Err() },
		"in a pipeline": func(second string) error {
			_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error { p.MGet(ctx, one, second); return nil })
			return err
		},
		"transaction": func(second string) error {
			_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.HSet(ctx, one, "f", "v")
				p.HDel(ctx, second, "f")
				return nil
			})
			return err
		},
	} {
		if err := do(same); err != nil && !errors.Is(err, redis.Nil) {
			t.Errorf("%s: %v", name, err)
		}
		if got := faults(); len(got) != 0 {
			t.Errorf("%s with keys of one slot: %q", name, got)
		}
		c.Del(ctx, one)
		_ = do(other)
		if got := faults(); len(got) == 0 || !strings.Contains(got[0], "two slots, {strict1} and {strict2}") && !strings.Contains(got[0], "two slots, {strict2} and {strict1}") {
			t.Errorf("%s with keys of two slots: %q", name, got)
		}
		c.Del(ctx, one)
	}
}

func TestAPipelineMayHaveKeysOfManySlots(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, faults := watched(t)
	_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		p.Set(ctx, "{strict3}a", 1, 0)
		p.Set(ctx, "{strict4}a", 1, 0)
		return nil
	})
	if got := faults(); err != nil || len(got) != 0 {
		t.Errorf("%v, %q", err, got)
	}
}

func TestAScriptIsMissingUntilItIsLoadedAfterItsFirstRun(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	c, _ := watched(t)
	load := func(s *redis.Script) {
		if err := s.Load(ctx, c).Err(); err != nil {
			t.Fatal(err)
		}
	}
	one, two := redis.NewScript("return redis.call('INCR', KEYS[1]) -- strict 1"), redis.NewScript("return redis.call('INCR', KEYS[1]) -- strict 2")
	key := []string{"{strict5}n"}
	load(one)
	for range 2 {
		if err := one.EvalSha(ctx, c, key).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("before it is loaded again: %v", err)
		}
	}
	load(one)
	if n, err := one.EvalSha(ctx, c, key).Int(); err != nil || n != 1 {
		t.Errorf("after it is loaded: %d, %v", n, err)
	}

	load(two)
	for _, missing := range []bool{true, false} {
		var runs []*redis.Cmd
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			runs = append(runs, two.EvalSha(ctx, p, key), one.EvalSha(ctx, p, key), two.EvalSha(ctx, p, key))
			return nil
		})
		if redis.HasErrorPrefix(err, "NOSCRIPT") != missing || runs[1].Err() != nil {
			t.Errorf("missing %t: %v, %v", missing, err, runs[1])
		}
		for _, run := range []*redis.Cmd{runs[0], runs[2]} {
			if redis.HasErrorPrefix(run.Err(), "NOSCRIPT") != missing {
				t.Errorf("missing %t: %v", missing, run)
			}
		}
		load(two)
	}
	if n := c.Get(ctx, key[0]).Val(); n != "5" {
		t.Errorf("the scripts ran %s times, want 5", n)
	}
}
