package intake

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

const (
	maxBlock   = time.Second // a read ends by itself: no context interrupts it
	maxBackoff = time.Second
	// stubborn: how many times Config.Tries an entry may be handed out without any word of it.
	stubborn = 4
)

// errSilent: those who had it died of it, perhaps.
var errSilent = errors.New("handed out again and again, and nobody ever said what became of it")

// read fills the lanes until ctx ends.
func (s *shift) read(ctx context.Context) {
	defer close(s.small)
	defer close(s.large)
	var again time.Time // when to look for what nobody finished
	var backoff time.Duration
	for s.awaitRoom(ctx) {
		var err error
		if wait := again.Sub(s.c.Now()); wait > 0 {
			err = s.readNew(min(wait, maxBlock))
		} else {
			var n int
			if n, err = s.reclaim(); n < s.c.Batch { // else there is more of it
				again = s.c.Now().Add(s.hand.idle() / 2)
			}
		}
		if err = s.mend(err); err == nil {
			s.noteReading(ctx, nil)
			backoff = 0
			continue
		}
		s.noteReading(ctx, err)
		backoff = min(max(2*backoff, 20*time.Millisecond), maxBackoff)
		pause(ctx, backoff)
		again = s.c.Now().Add(s.hand.idle() / 2) // whatever failed, the next try is a read
	}
}

// awaitRoom waits while too much waits for Range. It is false when ctx has ended.
func (s *shift) awaitRoom(ctx context.Context) bool {
	for len(s.large) >= maxHeld && ctx.Err() == nil {
		select {
		case <-s.room:
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// readNew hands out what nobody has read, and waits for some when there is none.
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

// open reads an entry that was handed out so many times before.
func (s *shift) open(id string, fields map[string]any, tries int64) job {
	e, err := decode(id, fields)
	e.Tries = tries
	switch {
	case err != nil:
		return job{Entry: e, raw: fields, unfit: err}
	case tries >= stubborn*s.c.Tries:
		return job{Entry: e, unfit: errSilent}
	}
	return job{Entry: e}
}

// handOut puts entries into their lanes. It waits for the small lane only.
func (s *shift) handOut(jobs []job) {
	small := make([]Entry, 0, len(jobs))
	for _, j := range jobs {
		s.hand.take(j.Entry)
		if j.Delivery != nil && j.unfit == nil {
			small = append(small, j.Entry)
		} else {
			s.large <- j
		}
	}
	if len(small) > 0 {
		s.small <- small
	}
}

// mend makes stream and group when they are not there, and says so. Another error stays.
func (s *shift) mend(err error) error {
	if !redis.HasErrorPrefix(err, "NOGROUP") {
		return err
	}
	err = s.c.Redis.XGroupCreateMkStream(s.work, s.stream, Group, "0").Err()
	if redis.HasErrorPrefix(err, "BUSYGROUP") {
		return nil // another was faster, and says so
	}
	if err != nil {
		return fmt.Errorf("make the intake's group: %w", err)
	}
	s.tellLost()
	return nil
}

// noteReading logs that reading began to fail, or works again.
func (s *shift) noteReading(ctx context.Context, err error) {
	switch {
	case ctx.Err() != nil:
	case err != nil && !s.failing:
		s.c.Log.WarnContext(ctx, "intake cannot be read", "stage", "intake", "err", err)
	case err == nil && s.failing:
		s.c.Log.InfoContext(ctx, "intake is read again", "stage", "intake")
	}
	s.failing = err != nil
}
