package intake

import (
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

var errReply = errors.New("a script answered what it never does")

// reclaim hands out again what somebody had and did not finish in time: one who died, or
// this process itself when an earlier try failed. It returns how many there were.
func (s *shift) reclaim() (int, error) {
	idle := s.hand.idle()
	args := []any{Group, s.c.Name, idle.Milliseconds(), s.c.Batch}
	for _, id := range s.hand.held() { // all: how long Redis has had them so is not known exactly
		args = append(args, id)
	}
	reply, err := reclaimEntries.Run(s.work, s.c.Redis, []string{s.stream}, args...).Slice()
	if err != nil {
		return 0, fmt.Errorf("take entries over: %w", err)
	}
	jobs := make([]job, 0, len(reply))
	for _, r := range reply {
		id, tries, fields, err := readTaken(r)
		if err != nil {
			return 0, err
		}
		jobs = append(jobs, s.open(id, fields, tries))
	}
	s.reclaimed.Add(int64(len(jobs)))
	s.handOut(jobs)
	return len(jobs), nil
}

func readTaken(reply any) (id string, tries int64, fields map[string]any, err error) {
	parts, ok := reply.([]any)
	if !ok || len(parts) != 3 {
		return "", 0, nil, errReply
	}
	id, isID := parts[0].(string)
	tries, isCount := parts[1].(int64)
	flat, isFlat := parts[2].([]any)
	if !isID || !isCount || !isFlat {
		return "", 0, nil, errReply
	}
	fields = make(map[string]any, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		name, ok := flat[i].(string)
		if !ok {
			return "", 0, nil, errReply
		}
		fields[name] = flat[i+1]
	}
	return id, tries, fields, nil
}

// untry leaves entries pending as if they had not been handed out: Redis or SQL was away,
// which is nobody's fault. When Redis is, they keep the try, which is never their last.
func (s *shift) untry(entries []Entry, idle time.Duration) {
	byTries := map[int64][]any{}
	ids := make([]string, 0, len(entries))
	for _, e := range entries {
		byTries[e.Tries] = append(byTries[e.Tries], e.ID)
		ids = append(ids, e.ID)
	}
	_, err := s.c.Redis.Pipelined(s.work, func(p redis.Pipeliner) error {
		for tries, group := range byTries {
			args := append([]any{"xclaim", s.stream, Group, s.c.Name, 0}, group...)
			p.Do(s.work, append(args, "idle", idle.Milliseconds(), "retrycount", tries, "justid")...)
		}
		return nil
	})
	if err != nil {
		s.c.Log.DebugContext(s.work, "entries keep a try that was none", "stage", "intake", "err", err)
	}
	s.hand.drop(ids...)
}

// giveBack leaves what nobody began with to be taken over at once.
func (s *shift) giveBack() {
	var left []Entry
	for j := range s.large {
		left = append(left, j.Entry)
	}
	if len(left) > 0 {
		s.untry(left, maxIdle)
	}
}
