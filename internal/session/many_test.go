package session_test

import (
	"net/http"
	"testing"
	"time"
)

func TestFiftyFirstSessionEndsTheOneSeenLongestAgo(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	one, two := b.open(), b.open()
	bobs := signIn(t, one, b.bob)
	var all []*http.Cookie
	for range 51 {
		b.move(time.Second)
		all = append(all, signIn(t, one, b.alice))
		if len(all) == 50 {
			b.move(6 * time.Minute)
			for _, c := range all[:3] { // in use: last-seen is written when the session is loaded from SQL
				id := wantSigned(t, two, c, "one of the first").ID
				b.cfg.Redis.Del(t.Context(), b.cfg.Space.Session(id))
				b.move(6 * time.Minute)
				wantSigned(t, two, c, "one of the first, in use")
			}
			wantSigned(t, two, all[3], "the fourth") // its copy is in Redis
			writeSeen(t, two)
		}
	}
	wantAnonymous(t, two, all[4], "the fifth, which was seen longest ago")
	for _, i := range []int{0, 1, 2, 3, 5, 50} {
		wantSigned(t, two, all[i], "one of the others")
	}
	wantSigned(t, two, bobs, "another user's")
	for range 49 {
		b.move(time.Second)
		signIn(t, one, b.alice)
	}
	wantAnonymous(t, two, all[0], "the first, whose copy is in Redis")
	ids, err := b.sql.SessionsOf(t.Context(), b.alice.Seq)
	if err != nil || len(ids) != 50 {
		t.Errorf("alice has %d sessions, %v; want 50", len(ids), err)
	}
}
