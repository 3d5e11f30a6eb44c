package delivery

import (
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
)

// reclaim hands out again the entries that were not finished in time, because their member died or
// because an earlier try of this process failed. It returns how many there were.
func (s *shift) reclaim() (int, error) {
	idle := s.inFlight.idle()
	args := []any{Group, s.c.Name, idle.Milliseconds(), s.c.Batch}
	for _, id := range s.inFlight.held() { // send all ids: Redis measures idle times slightly differently
		args = append(args, id)
	}
	reply, err := reclaimEntries.Run(s.work, s.c.Redis, []string{s.stream}, args...).Slice()
	if err != nil {
		return 0, fmt.Errorf("take over entries: %w", err)
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
		return "", 0, nil, script.ErrReply
	}
	id, isID := parts[0].(string)
	tries, isCount := parts[1].(int64)
	flat, isFlat := parts[2].([]any)
	if !isID || !isCount || !isFlat {
		return "", 0, nil, script.ErrReply
	}
	fields = make(map[string]any, len(flat)/2)
	for i := 0; i+1 < len(flat); i += 2 {
		name, ok := flat[i].(string)
		if !ok {
			return "", 0, nil, script.ErrReply
		}
		fields[name] = flat[i+1]
	}
	return id, tries, fields, nil
}

// release leaves entries pending as if they had not been handed out, because Redis or SQL was
// unavailable and the entries are not to blame. If Redis cannot be reached now, the try counts, but
// it can never be the last one. Entries that are not in the stream yet go there.
func (s *shift) release(entries []Entry, idle time.Duration) {
	if entries = s.bring(entries); len(entries) == 0 {
		return
	}
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
		s.c.Log.DebugContext(s.work, "could not take back the try of entries", "stage", "intake", "err", err)
	}
	s.inFlight.drop(ids...)
}

// giveBack lets another instance take over jobs that were never started, without waiting.
func (s *shift) giveBack() {
	var left []Entry
	for j := range s.large {
		left = append(left, j.Entry)
	}
	if len(left) > 0 {
		s.release(left, maxIdle)
	}
}
