package script_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"testing"

	"github.com/redis/go-redis/v9"
	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/script"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(redistest.Wrap(m)) }

// adder returns a script with a source of its own for each name, so that no test finds the script
// of another one loaded.
func adder(name string) *script.Script {
	return script.New(name, "local function add(a, b) return a + b end", "-- "+name+`
return add(redis.call('INCR', KEYS[1]), tonumber(ARGV[1]))`)
}

func TestARunLoadsAMissingScript(t *testing.T) {
	t.Parallel()
	_, mini := redistest.Mini(t)
	for name, rdb := range map[string]redis.UniversalClient{"server": redistest.Client(t), "cluster": redistest.Cluster(t), "miniredis": mini} {
		s, k := adder(t.Name()), redistest.Space(t)
		for want := int64(11); want < 14; want++ {
			got, err := s.Run(t.Context(), rdb, []string{k.Counts(1)}, 10).Int64()
			if err != nil || got != want {
				t.Errorf("%s: %d, %v; want %d", name, got, err, want)
			}
		}
	}
}

func TestAPipeRunsEachScriptOnceEvenIfSomeAreMissing(t *testing.T) {
	t.Parallel()
	for name, rdb := range map[string]redis.UniversalClient{"server": redistest.Own(t).Client(t), "cluster": redistest.Cluster(t)} {
		loaded, missing, k := adder(t.Name()+"1"), adder(t.Name()+"2"), redistest.Space(t)
		if err := script.Load(t.Context(), rdb, loaded); err != nil {
			t.Fatal(err)
		}
		p := script.NewPipe(rdb, 128)
		var cmds []*redis.Cmd
		for i := range 64 {
			for _, s := range []*script.Script{loaded, missing} {
				cmds = append(cmds, p.Add(t.Context(), s, 1, fmt.Sprint(k.Counts(i), s.Name()), i))
			}
		}
		if err := p.Exec(t.Context()); err != nil {
			t.Fatal(err)
		}
		for n, cmd := range cmds {
			if got, err := cmd.Int64(); err != nil || got != int64(1+n/2) {
				t.Errorf("%s: run %d answers %d, %v; want %d", name, n, got, err, 1+n/2)
			}
		}
		if err := p.Exec(t.Context()); err != nil {
			t.Errorf("%s: an empty pipe: %v", name, err)
		}
	}
}

func TestAFailingScriptInAPipeDoesNotStopTheOthers(t *testing.T) {
	t.Parallel()
	rdb, k := redistest.Client(t), redistest.Space(t)
	good, bad := adder(t.Name()), script.New("bad", `return redis.error_reply('NOPE it refuses')`)
	p := script.NewPipe(rdb, 3)
	first := p.Add(t.Context(), good, 1, k.Counts(1), 1)
	second := p.Add(t.Context(), bad, 1, k.Counts(1))
	third := p.Add(t.Context(), good, 1, k.Counts(1), 1)
	if err := p.Exec(t.Context()); !redis.HasErrorPrefix(err, "NOPE") || script.Away(err) {
		t.Errorf("error %v, away %v; want the refusal", err, script.Away(err))
	}
	if first.Val() != int64(2) || second.Err() == nil || third.Val() != int64(3) {
		t.Errorf("answers %v, %v, %v", first, second, third)
	}
}

// flusher removes all scripts before each run, so that loading never helps.
type flusher struct{ runs atomic.Int64 }

func (f *flusher) DialHook(next redis.DialHook) redis.DialHook { return next }

func (f *flusher) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (f *flusher) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "evalsha" {
			f.runs.Add(1)
			flush := redis.NewStatusCmd(ctx, "script", "flush")
			cmds = append([]redis.Cmder{flush}, cmds...)
		}
		return next(ctx, cmds)
	}
}

func TestAPipeFailsAfterASecondTry(t *testing.T) {
	t.Parallel()
	rdb, k, f := redistest.Own(t).Client(t), redistest.Space(t), &flusher{}
	rdb.AddHook(f)
	p := script.NewPipe(rdb, 1)
	p.Add(t.Context(), adder(t.Name()), 1, k.Counts(1), 1)
	if err := p.Exec(t.Context()); !redis.HasErrorPrefix(err, "NOSCRIPT") || f.runs.Load() != 2 {
		t.Errorf("%d tries, %v; want 2 and NOSCRIPT", f.runs.Load(), err)
	}
}

// mute fails every command that loads scripts.
type mute struct{ flusher }

func (m *mute) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		if cmds[0].Name() == "script" {
			cmds[0].SetErr(io.EOF)
			return io.EOF
		}
		return next(ctx, cmds)
	}
}

func TestAFailedLoadIsAwayForEachRunThatNeededIt(t *testing.T) {
	t.Parallel()
	rdb, k, known := redistest.Own(t).Client(t), redistest.Space(t), adder(t.Name())
	if err := script.Load(t.Context(), rdb, known); err != nil {
		t.Fatal(err)
	}
	rdb.AddHook(&mute{})
	p := script.NewPipe(rdb, 2)
	lacking := p.Add(t.Context(), adder("another"), 1, k.Counts(1), 1)
	there := p.Add(t.Context(), known, 1, k.Counts(1), 1)
	if err := p.Exec(t.Context()); !script.Away(err) || !script.Away(lacking.Err()) || there.Err() != nil {
		t.Errorf("error %v; the run of the missing script: %v, the other: %v", err, lacking.Err(), there.Err())
	}
}

func TestAwayDistinguishesAMissingRedisFromARefusal(t *testing.T) {
	t.Parallel()
	gone := redis.NewClient(&redis.Options{Network: "unix", Addr: t.TempDir() + "/s", MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = gone.Close() })
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		err  error
		want bool
	}{
		{nil, false},
		{gone.Ping(t.Context()).Err(), true},
		{fmt.Errorf("wrapped: %w", gone.Ping(t.Context()).Err()), true},
		{context.DeadlineExceeded, true},
		{os.ErrDeadlineExceeded, true},
		{redis.ErrClosed, true},
		{redistest.Client(t).Ping(canceled).Err(), false},
		{redis.Nil, false},
		{redistest.Client(t).Do(t.Context(), "NO-SUCH-COMMAND").Err(), false},
		{script.New("loading", `return redis.error_reply('LOADING Redis is loading')`).Run(t.Context(), redistest.Client(t), nil).Err(), true},
		{errors.New("anything else"), true},
	} {
		if got := script.Away(c.err); got != c.want {
			t.Errorf("Away(%v) is %v, want %v", c.err, got, c.want)
		}
	}
}
