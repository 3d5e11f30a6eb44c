package delivery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	maxBlock   = time.Second // bounds a blocking read, because a context cannot interrupt it
	maxBackoff = time.Second
	// silentFactor: an entry is buried after silentFactor times Config.Tries hand-outs without any
	// result.
	silentFactor = 4
)

// errSilent buries an entry whose handlers never report a result; the entry may have killed them.
var errSilent = errors.New("handed out repeatedly without any result")

// read fills the lanes until ctx ends.
func (s *shift) read(ctx context.Context) {
	defer close(s.small)
	defer close(s.large)
	var again time.Time // when to look for abandoned entries next
	var backoff time.Duration
	for s.awaitRoom(ctx) {
		var err error
		if wait := again.Sub(s.c.Now()); wait > 0 {
			err = s.readNew(min(wait, maxBlock))
		} else {
			var n int
			if n, err = s.reclaim(); n < s.c.Batch { // otherwise more are waiting
				again = s.c.Now().Add(s.inFlight.idle() / 2)
			}
		}
		if err = s.createGroup(err); err == nil {
			s.logReading(ctx, nil)
			backoff = 0
			continue
		}
		s.logReading(ctx, err)
		backoff = min(max(2*backoff, 20*time.Millisecond), maxBackoff)
		pause(ctx, backoff)
		again = s.c.Now().Add(s.inFlight.idle() / 2) // whatever failed, read new entries next
	}
}

// awaitRoom waits while too many jobs are queued for Range. It returns false once ctx has ended.
func (s *shift) awaitRoom(ctx context.Context) bool {
	for len(s.large) >= maxHeld && ctx.Err() == nil {
		select {
		case <-s.room:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// readNew hands out entries that no member has read, and waits for some if there are none.
func (s *shift) readNew(wait time.Duration) error {
	streams, err := s.c.Redis.XReadGroup(s.work, &redis.XReadGroupArgs{
		Group: Group, Consumer: s.c.Name, Streams: []string{s.stream, ">"},
		Count: int64(s.c.Batch), Block: max(wait, time.Millisecond),
	}).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the intake: %w", err)
	}
	jobs := make([]job, 0, s.c.Batch)
	for _, stream := range streams {
		for _, m := range stream.Messages {
			jobs = append(jobs, s.open(m.ID, m.Values, 0))
		}
	}
	s.handOut(jobs)
	return nil
}

// open decodes an entry that was handed out tries times before.
func (s *shift) open(id string, fields map[string]any, tries int64) job {
	e, err := decode(id, fields)
	e.Tries = tries
	switch {
	case err != nil:
		return job{Entry: e, raw: fields, unfit: err}
	case tries >= silentFactor*s.c.Tries:
		return job{Entry: e, unfit: errSilent}
	}
	return job{Entry: e}
}

// handOut puts entries into their lanes. It waits for the small lane only.
func (s *shift) handOut(jobs []job) {
	small := make([]Entry, 0, len(jobs))
	for _, j := range jobs {
		s.inFlight.take(j.Entry)
		if j.Kind == Whole && j.unfit == nil {
			small = append(small, j.Entry)
		} else {
			s.large <- j
		}
	}
	if len(small) > 0 {
		s.small <- small
	}
}

// createGroup creates the stream and the group if err says that they are missing, and signals the
// loss. It returns any other error unchanged.
func (s *shift) createGroup(err error) error {
	if !redis.HasErrorPrefix(err, "NOGROUP") {
		return err
	}
	err = s.c.Redis.XGroupCreateMkStream(s.work, s.stream, Group, "0").Err()
	if redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil // another instance was faster, and signals the loss
	}
	if err != nil {
		return fmt.Errorf("create the intake's group: %w", err)
	}
	s.signalLost()
	return nil
}

// logReading logs when reads begin to fail and when they succeed again.
func (s *shift) logReading(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil && !s.failing:
		s.c.Log.WarnContext(ctx, "could not read the intake", "stage", "intake", "err", err)
	case err == nil && s.failing:
		s.c.Log.InfoContext(ctx, "intake can be read again", "stage", "intake")
	}
	s.failing = err != nil
}
