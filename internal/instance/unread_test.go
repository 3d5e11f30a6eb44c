package instance

import (
	"context"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// Of 3,000 recipients every third has not read the notice.
func TestPagesOfThoseWhoHaveNotReadListEachOnce(t *testing.T) {
	t.Parallel()
	now := time.Unix(0, 0)
	slow, searches := time.Duration(0), 0
	u := unread{
		recipients: func(context.Context, int64) (*roaring.Bitmap, error) {
			all := roaring.New()
			all.AddRange(1, 3001)
			return all, nil
		},
		unreadOf: func(_ context.Context, _ *notifier.Notice, among *roaring.Bitmap) (*roaring.Bitmap, error) {
			now, searches = now.Add(slow), searches+1
			found := roaring.New()
			for seq := range roaring.Values(among) {
				if seq%3 == 0 && seq > 1500 {
					found.Add(seq)
				}
			}
			return found, nil
		},
		names: func(_ context.Context, who *roaring.Bitmap) (map[int64]notifier.UserName, error) {
			names := map[int64]notifier.UserName{}
			for seq := range roaring.Values(who) {
				names[int64(seq)] = notifier.UserName{Name: strconv.Itoa(int(seq))}
			}
			delete(names, 1800) // an account deleted meanwhile
			return names, nil
		},
		now: func() time.Time { return now },
	}
	var want []string
	for seq := 1503; seq <= 3000; seq += 3 {
		if seq != 1800 {
			want = append(want, strconv.Itoa(seq))
		}
	}
	for _, slow = range []time.Duration{0, unreadPatience + 1} {
		var got []string
		for after, pages := int64(0), 0; pages == 0 || after > 0; pages++ {
			searches = 0
			users, next, err := u.UnreadBy(t.Context(), &notifier.Notice{ID: 7}, after, 50)
			if err != nil || len(users) > 50 || next != 0 && next <= after || slow == 0 && next > 0 && len(users) < 49 {
				t.Fatalf("page %d after %d: %d users, next %d, %v", pages, after, len(users), next, err)
			}
			for _, user := range users {
				got = append(got, user.Name)
			}
			if slow > 0 && searches > 1 {
				t.Fatalf("a slow search went on %d times", searches-1)
			}
			after = next
		}
		if !slices.Equal(want, got) {
			t.Errorf("each search takes %v: %d of %d users are listed", slow, len(got), len(want))
		}
	}
}
