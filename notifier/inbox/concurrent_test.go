package inbox_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
)

// Several instances change the same few inboxes at once. Whatever the order of their scripts, the
// inboxes are consistent, and the last published change has the current numbers.
func TestConcurrentChangesLeaveEveryInboxConsistent(t *testing.T) {
	onEachRedis(t, func(t *testing.T, s *site) {
		users := []int64{1, 2, 65} // 1 and 65 share a partition
		heard := map[int64]*listener{}
		for _, seq := range users {
			heard[seq] = s.listen(t, seq)
		}
		ctx := t.Context()
		var ids atomic.Int64
		var group sync.WaitGroup
		for worker := range 8 {
			group.Go(func() { s.meddle(ctx, t, users, &ids, rand.New(rand.NewPCG(1, uint64(worker)))) })
		}
		group.Wait()
		for _, seq := range users {
			at, all := s.sound(t, seq), heard[seq].heard(t)
			if len(all) == 0 {
				t.Fatalf("nothing was published to user %d", seq)
			}
			if !slices.IsSortedFunc(all, func(a, b notifier.Change) int { return int(a.Ver - b.Ver) }) {
				t.Errorf("changes were published to user %d out of order", seq)
			}
			last := all[len(all)-1]
			if at.State["ver"] != strconv.FormatInt(last.Ver, 10) || at.State["unread"] != strconv.FormatInt(last.Unread, 10) {
				t.Errorf("the last change published to user %d has ver %d, %d unread; the state is %v", seq, last.Ver, last.Unread, at.State)
			}
		}
	})
}

// meddle simulates an instance that changes users' inboxes at random.
func (s *site) meddle(ctx context.Context, t *testing.T, users []int64, ids *atomic.Int64, dice *rand.Rand) {
	t.Helper()
	b := inbox.New(s.rdb, s.k, inbox.Options{Cap: 10, Now: time.Now})
	subject := func(id int64) string { return fmt.Sprintf("photo:%d", id%15) }
	for range 60 {
		seq, k := users[dice.IntN(len(users))], "like:"+subject(dice.Int64N(15))
		var err error
		switch dice.IntN(13) {
		case 0, 1, 2:
			id := ids.Add(1)
			n := s.notice(id, subject(id))
			n.ExpiresAt = time.Now().Add(time.Duration(dice.IntN(40)-2) * time.Millisecond)
			_, err = b.Deliver(ctx, n, users)
		case 3:
			_, err = b.Open(ctx, seq)
		case 4:
			_, _, err = b.MarkRead(ctx, seq, k)
		case 5:
			_, _, err = b.MarkUnread(ctx, seq, k)
		case 6:
			_, err = b.Delete(ctx, seq, k)
		case 7:
			id := ids.Load()
			err = b.Retract(ctx, id, "like:"+subject(id), users)
		case 8:
			_, err = b.Expire(ctx, map[int64][]string{seq: {k}})
		case 9:
			_, err = b.ReadKeys(ctx, seq, []string{k, "like:" + subject(dice.Int64N(15))})
		case 10:
			_, err = b.ReadSubject(ctx, seq, subject(dice.Int64N(15)), 0)
		case 11:
			n := s.notice(ids.Load(), subject(ids.Load()))
			n.Revision = dice.Int64N(9) + 1
			err = b.EditAll(ctx, []notifier.Delivery{s.delivery(t, n, users...)})[0]
		case 12:
			_, err = b.Poll(ctx, seq, notifier.PollQuery{Limit: 3})
		}
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			t.Error(err)
		}
	}
}
