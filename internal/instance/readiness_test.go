package instance

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

type answered string

func (a answered) Error() string { return string(a) }

func (answered) RedisError() {}

const (
	errNoRight = answered("ERR The user executing the script can't run this command or subcommand script: e19, on @user_script:3.")
	errFull    = answered("OOM command not allowed when used memory > 'maxmemory'.")
)

func TestARefusalCountsUntilTheSameSucceeds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		refused answered
		command string
		then    string // the command that succeeds later
		left    int
	}{
		"a full Redis takes the command again":             {errFull, "evalsha", "evalsha", 0},
		"a full Redis takes another command":               {errFull, "hset", "hget", 1},
		"a script lacks a right, another does not need it": {errNoRight, "evalsha", "evalsha", 1},
		"a command itself is wrong":                        {"ERR syntax error", "set", "get", 0},
	} {
		r := newRefusals()
		run := func(command string, err error) {
			cmd := redis.NewCmd(context.Background(), command)
			if err != nil {
				cmd.SetErr(err)
			}
			r.note(cmd)
		}
		run(test.command, test.refused)
		run(test.then, nil)
		if got := r.lately(time.Now()); len(got) != test.left {
			t.Errorf("%s: %v", name, got)
		}
		if got := r.lately(time.Now().Add(2 * refusedFor)); len(got) != 0 {
			t.Errorf("%s, and nothing since: %v", name, got)
		}
	}
	r := newRefusals()
	cmd := redis.NewCmd(t.Context(), "get")
	cmd.SetErr(errors.New("title: too long"))
	if r.note(cmd); len(r.lately(time.Now())) != 0 {
		t.Error("an error that is not of Redis counts")
	}
}

func TestFailedRequestsCountForAMinute(t *testing.T) {
	t.Parallel()
	var s served
	now := time.Unix(1_700_000_000, 0)
	for i := range 100 {
		status := 200
		switch i % 10 {
		case 0:
			status = 500
		case 1:
			status = 503 // has a cause that is known otherwise
		}
		s.add(now.Add(time.Duration(i)*100*time.Millisecond), status)
	}
	if all, failed := s.lately(now.Add(20 * time.Second)); all != 100 || failed != 10 {
		t.Errorf("%d of %d", failed, all)
	}
	if all, failed := s.lately(now.Add(2 * time.Minute)); all != 0 || failed != 0 {
		t.Errorf("later: %d of %d", failed, all)
	}
}
