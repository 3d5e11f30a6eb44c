package inbox_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/inbox"
	"github.com/carillonhq/carillon/notifier/keys"
)

const benchUsers = 2000

// benchNotice has a body of 230 bytes, the size for which the figures are stated.
func benchNotice(id, recipients int64) *notifier.Notice {
	return &notifier.Notice{
		ID: id, CreatedAt: time.Now(), ExpiresAt: time.Now().Add(24 * time.Hour), Recipients: recipients,
		Draft: notifier.Draft{
			Type: "like", Subject: "photo_id:" + strconv.FormatInt(id%50, 10), Title: "Somebody likes your photo",
			Body: strings.Repeat("body ", 20), Link: "/photos/1", Target: notifier.Target{Role: "picker"},
		},
	}
}

// BenchmarkDeliver delivers one notice after another to 2,000 warm inboxes; one operation is one
// inbox.
func BenchmarkDeliver(b *testing.B) {
	rdb := redistest.Client(b)
	box := inbox.New(rdb, redistest.Space(b), inbox.Options{})
	seqs := make([]int64, benchUsers)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	if _, err := box.Badges(b.Context(), seqs); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := redisTime(b, rdb)
	for done, id := 0, int64(1); done < b.N; id++ {
		some := seqs[:min(benchUsers, b.N-done)]
		if _, err := box.Deliver(b.Context(), benchNotice(id, benchUsers), some); err != nil {
			b.Fatal(err)
		}
		done += len(some)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "inboxes/s")
	b.ReportMetric(float64((redisTime(b, rdb)-before).Microseconds())/float64(b.N), "redis-cpu-µs/op")
}

// BenchmarkOpen opens inboxes of 200 rows, some of them unread, from 8 callers at once. The rows
// are marked as unread again while the timer is stopped.
func BenchmarkOpen(b *testing.B) {
	for _, unread := range []int{0, 5, 30, 200} {
		b.Run(fmt.Sprintf("unread=%d", unread), func(b *testing.B) {
			rdb, k := redistest.Client(b), redistest.Space(b)
			box := inbox.New(rdb, k, inbox.Options{})
			const users, callers = 64, 8
			for seq := range int64(users) {
				for id := range int64(200) {
					n := benchNotice(id+1, 1)
					n.Subject = fmt.Sprint("photo:", id)
					if _, err := box.Deliver(b.Context(), n, []int64{seq}); err != nil {
						b.Fatal(err)
					}
				}
				if _, err := box.Open(b.Context(), seq); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportAllocs()
			b.ResetTimer()
			var spent time.Duration
			for done := 0; done < b.N; done += users {
				b.StopTimer()
				for seq := range int64(users) {
					turnBack(b, rdb, k, seq, unread)
				}
				before := redisTime(b, rdb)
				b.StartTimer()
				var group sync.WaitGroup
				for c := range callers {
					group.Go(func() {
						for seq := int64(c); seq < users; seq += callers {
							if _, err := box.Open(b.Context(), seq); err != nil {
								b.Error(err)
							}
						}
					})
				}
				group.Wait()
				b.StopTimer()
				spent += redisTime(b, rdb) - before
				b.StartTimer()
			}
			rounds := (b.N + users - 1) / users
			b.ReportMetric(float64(rounds*users)/b.Elapsed().Seconds(), "opens/s")
			b.ReportMetric(float64(spent.Microseconds())/float64(rounds*users), "redis-cpu-µs/op")
		})
	}
}

// redisTime returns the processor time used by the server. Unlike elapsed time it does not depend
// on other load on the machine.
func redisTime(b *testing.B, rdb redis.UniversalClient) (used time.Duration) {
	b.Helper()
	for line := range strings.Lines(rdb.Info(b.Context(), "cpu").Val()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		if name == "used_cpu_user" || name == "used_cpu_sys" {
			seconds, err := strconv.ParseFloat(value, 64)
			if err != nil {
				b.Fatal(err)
			}
			used += time.Duration(seconds * float64(time.Second))
		}
	}
	return used
}

// turnBack marks the newest rows of an inbox as unread in one step.
func turnBack(b *testing.B, rdb redis.UniversalClient, k keys.Space, seq int64, n int) {
	b.Helper()
	const script = `
for i = 0, ARGV[1] - 1 do
  local was = redis.call('LINDEX', KEYS[1], i)
  local is = was:sub(1, -2) .. '0'
  redis.call('LSET', KEYS[1], i, is)
  redis.call('HSET', KEYS[2], is, redis.call('HGET', KEYS[2], was))
  redis.call('HDEL', KEYS[2], was)
end
redis.call('HSET', KEYS[3], 'unread', ARGV[1])
return 0`
	if n == 0 {
		return
	}
	if err := rdb.Eval(b.Context(), script, []string{k.List(seq), k.Hash(seq), k.State(seq)}, n).Err(); err != nil {
		b.Fatal(err)
	}
}
