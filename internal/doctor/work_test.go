package doctor

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/keys"
)

// afterMarks runs a function after the dirty marks have been read for the first time.
type afterMarks struct {
	pipelines int
	then      func()
}

func (s *afterMarks) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (s *afterMarks) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (s *afterMarks) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		err := next(ctx, cmds)
		if s.pipelines++; s.pipelines == 2 { // after the late marks
			s.then()
		}
		return err
	}
}

func TestChangesThatAreNotInSQLAreReportedByTheirKind(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]struct {
		dirty, late time.Duration // ages of a mark; 0: there is none
		written     bool          // the dirty mark is removed soon
		want        string
	}{
		"nothing":                          {want: "ok    flush lag    SQL is 0s behind what users did, and 0s behind deliveries"},
		"a deed and a delivery":            {dirty: time.Second, late: 40 * time.Second, want: "ok    flush lag    SQL is "},
		"a delivery that is being written": {dirty: 50 * time.Second, written: true, want: "ok    flush lag    SQL is 0s behind what users did"},
		"a deed that is not written":       {dirty: 50 * time.Second, want: "FAIL  flush lag    SQL is 5"},
		"deliveries that are not written":  {late: 2 * time.Minute, want: "FAIL  flush lag    deliveries have waited 2m"},
		"neither is written":               {dirty: time.Minute, late: 2 * time.Minute, want: "FAIL  flush lag    SQL is 1m"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rdb, space := redistest.Own(t).Client(t), keys.New("carillon:")
			mark := func(key string, age time.Duration) {
				if age == 0 {
					return
				}
				if err := rdb.ZAdd(t.Context(), key, redis.Z{Score: float64(time.Now().Add(-age).UnixMilli()), Member: "42"}).Err(); err != nil {
					t.Fatal(err)
				}
			}
			mark(space.Dirty(42), of.dirty)
			mark(space.Late(42), of.late)
			if of.written {
				rdb.AddHook(&afterMarks{then: func() { rdb.ZRem(t.Context(), space.Dirty(42), "42") }})
			}
			var found []string
			e := &examination{report: func(f Finding) error { found = append(found, f.String()); return nil }}
			if err := e.behind(t.Context(), rdb, space); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(found, func(line string) bool { return strings.HasPrefix(line, of.want) }) || len(found) != 1 {
				t.Errorf("found %q, want %q", found, of.want)
			}
		})
	}
}
