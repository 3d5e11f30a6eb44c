package api

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// groupText is what a row says of its group.
func groupText(title string, x *RowExtras) string {
	names := []string{}
	for _, a := range x.Actors {
		names = append(names, a.Name)
	}
	return fmt.Sprintf("%s: %v and %d, %d times", title, names, *x.Others, *x.Times)
}

func TestThreeLikesByThreePeopleAreOneRow(t *testing.T) {
	t.Parallel()
	onBothDatabases(t, func(t *testing.T, w *world) {
		likes := func(id, name string) int64 {
			return w.accepted(t, w.send, `{"target":{"users":["bob"]},"type":"like","subject":"photo:1","title":"`+name+` likes your photo","actor":{"id":"`+id+`","name":"`+name+`"},
				"more":{"one":"{actor} and {others} other like your photo","other":"{actor} and {others} others like your photo"}}`)
		}
		says := func(want string) {
			t.Helper()
			got := ""
			testkit.Eventually(t, "the row "+want, func() bool {
				rows := w.polled(t, "bob", "").Notices
				if len(rows) == 1 {
					got = groupText(rows[0].Title, &rows[0].RowExtras)
				}
				return got == want
			})
			var mine meNotices
			w.call(t, w.bob, "GET", "/me/notices", nil).is(t, http.StatusOK).into(t, &mine)
			if n := mine.Notices[0]; mine.Badge.Inbox != 1 || groupText(n.Title, &n.RowExtras) != want {
				t.Errorf("the user's own row says %s, of %d unread; want %s", groupText(n.Title, &n.RowExtras), mine.Badge.Inbox, want)
			}
		}
		likes("u1", "Alice")
		says("Alice likes your photo: [Alice] and 0, 1 times")
		second := likes("u2", "Carol")
		says("Carol and 1 other like your photo: [Carol Alice] and 1, 2 times")
		third := likes("u3", "Dave")
		says("Dave and 2 others like your photo: [Dave Carol Alice] and 2, 3 times")

		w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(second, 10), `{"actor":{"id":"u2","name":"Caroline"}}`).is(t, http.StatusOK)
		says("Dave and 2 others like your photo: [Dave Caroline Alice] and 2, 3 times")
		w.call(t, w.send, "DELETE", "/notices/"+strconv.FormatInt(third, 10), nil)
		says("Caroline and 1 other like your photo: [Caroline Alice] and 1, 2 times")

		want := &moreJSON{"{actor} and {others} other like your photo", "{actor} and {others} others like your photo"}
		if diff := cmp.Diff(want, w.notice(t, second).More); diff != "" {
			t.Errorf("the notice: %s", diff)
		}
	})
}
