package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/script"
	"github.com/carillonhq/carillon/notifier"
)

// Titles returns the titles of the unread rows that these users have of a notice, with their users, where the rows stand for
// several notices. The other users see the title of the notice itself.
func (b *Inbox) Titles(ctx context.Context, noticeID int64, key string, seqs []int64) (map[string][]int64, error) {
	titles := map[string][]int64{}
	field := key + notifier.UnreadSuffix
	for chunk := range slices.Chunk(seqs, perPipeline) {
		pipe := b.rdb.Pipeline()
		cmds := make([]*redis.StringCmd, len(chunk))
		for i, seq := range chunk {
			cmds[i] = pipe.HGet(ctx, b.k.Hash(seq), field)
		}
		if _, err := pipe.Exec(ctx); err != nil && !errors.Is(err, redis.Nil) {
			return nil, fmt.Errorf("read the titles of notice %d for %d users: %w", noticeID, len(chunk), script.MarkAway(err))
		}
		for i, seq := range chunk {
			if e, err := parseRow(field, cmds[i].Val()); err == nil && e.NoticeID == noticeID && e.Group != nil && e.Group.Others() > 0 {
				e.Show()
				titles[e.Title] = append(titles[e.Title], seq)
			}
		}
	}
	return titles, nil
}
