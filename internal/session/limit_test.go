package session_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/notifier/keys"
)

// counters returns the number of accounts, addresses and devices for which Redis counts failures.
func counters(t *testing.T, rdb redis.UniversalClient, space keys.Space) [3]int64 {
	t.Helper()
	var n [3]int64
	for i, kind := range []string{"account", "address", "device"} {
		n[i] = rdb.ZCard(t.Context(), space.Limit(kind)).Val()
	}
	return n
}

func TestRefusedAddressLeavesNoCountersInRedis(t *testing.T) {
	t.Parallel()
	rdb, space := redistest.Client(t), redistest.Space(t)
	g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Redis: rdb, Space: space})
	for i := range 100 {
		fails(t, g, 1, fmt.Sprint("user ", i), "192.0.2.1")
	}
	before := counters(t, rdb, space)
	if want := [3]int64{100, 1, 0}; before != want {
		t.Fatalf("after 100 failures Redis has %v counters; want %v", before, want)
	}
	for i := range 300 {
		_, err := check(t, g, fmt.Sprint("new name ", i), "x", "192.0.2.1")
		wantRefused(t, err, "a new name")
	}
	if after := counters(t, rdb, space); after != before {
		t.Errorf("300 refused attempts with new names changed the counters from %v to %v", before, after)
	}
}

func TestSuccessfulSignInLeavesNoCounter(t *testing.T) {
	t.Parallel()
	for name, rdb := range map[string]redis.UniversalClient{"node": redistest.Client(t), "cluster": redistest.Cluster(t)} {
		space := redistest.Space(t)
		g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Redis: rdb, Space: space})
		if _, err := check(t, g, "alice", right, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
		if n := counters(t, rdb, space); n != [3]int64{} {
			t.Errorf("%s: after a success Redis has %v counters; want none", name, n)
		}
		fails(t, g, 2, "alice", "192.0.2.1")
		if _, err := check(t, g, "alice", right, "192.0.2.1"); err != nil {
			t.Fatal(err)
		}
		fails(t, g, 8, "alice", "192.0.2.1")
		_, err := check(t, g, "alice", right, "192.0.2.1")
		wantRefused(t, err, name+": after 10 failures with a success between")
	}
}

func TestAttemptsAtAProviderCountForTheirAddressUnlessTheySucceed(t *testing.T) {
	t.Parallel()
	rdb, space := redistest.Client(t), redistest.Space(t)
	g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Redis: rdb, Space: space})
	attempt := func() func() {
		t.Helper()
		release, err := g.Attempt(t.Context(), "192.0.2.1:5000")
		if err != nil {
			t.Fatal(err)
		}
		return release
	}
	for range 200 {
		attempt()()
	}
	if n := counters(t, rdb, space); n != [3]int64{} {
		t.Errorf("after successes Redis has %v counters", n)
	}
	for range 100 {
		attempt()
	}
	_, err := g.Attempt(t.Context(), "192.0.2.1:5001")
	wantRefused(t, err, "the address after 100 failures")
	_, err = check(t, g, "alice", right, "192.0.2.1")
	wantRefused(t, err, "a password from there")
	if _, err := g.Attempt(t.Context(), "192.0.2.2:5000"); err != nil {
		t.Errorf("another address: %v", err)
	}
}

func TestCountersExpireWithTheWindowAndHideNames(t *testing.T) {
	t.Parallel()
	rdb, space := redistest.Client(t), redistest.Space(t)
	g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Redis: rdb, Space: space})
	fails(t, g, 3, "{p00} odd:*", "192.0.2.1")
	for _, kind := range []string{"account", "address"} {
		if life := rdb.PTTL(t.Context(), space.Limit(kind)).Val(); life <= 14*time.Minute || life > 15*time.Minute {
			t.Errorf("the counters of each %s expire in %v; want 15 minutes", kind, life)
		}
	}
	for _, who := range rdb.ZRange(t.Context(), space.Limit("account"), 0, -1).Val() {
		if strings.Contains(who, "odd") || len(who) > 30 {
			t.Errorf("the account is stored as %q; want a short hash", who)
		}
	}
}

func TestRefusedSignInsAreLoggedWithAddressButWithoutTypedText(t *testing.T) {
	t.Parallel()
	var log lines
	b := setUp(t)
	hash, err := session.HashPassword(right)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = b.sql.SetPassword(t.Context(), "alice", hash); err != nil {
		t.Fatal(err)
	}
	g := session.NewSignIns(session.SignInConfig{Users: b.sql, Redis: redistest.Client(t), Space: redistest.Space(t), Log: log.logger(), Now: b.now})
	for range 10 {
		fails(t, g, 1, "alice", "192.0.2.1")
		b.move(time.Second)
	}
	_, err = check(t, g, "alice", "my secret", "192.0.2.7")
	wantRefused(t, err, "after 10 failures")
	fails(t, g, 1, "typed secret\nlevel=ERROR forged=1", "2001:db8::1")
	if _, err = check(t, g, "alice", right, "192.0.2.7"); err == nil {
		t.Fatal("a locked account was opened")
	}
	text := log.String()
	for _, want := range []string{
		fmt.Sprintf(`level=WARN msg="sign-in refused" reason=password address=192.0.2.1 user_id=%d`, b.alice.Seq),
		`level=WARN msg="sign-in refused" reason=limit address=192.0.2.7`,
		`level=WARN msg="sign-in refused" reason=password address=2001:db8::1 user_id=0`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the log lacks %s:\n%s", want, text)
		}
	}
	for _, word := range []string{"secret", "forged", right, "alice"} {
		if strings.Contains(text, word) {
			t.Errorf("the log contains %q:\n%s", word, text)
		}
	}
	if got, want := g.Stats(), (session.SignInStats{Wrong: 11, Limited: 2}); got != want {
		t.Errorf("counted %+v; want %+v", got, want)
	}
}

func TestRefusalsAreLoggedAtMostTwentyTimesASecond(t *testing.T) {
	t.Parallel()
	var log lines
	b := setUp(t)
	g := session.NewSignIns(session.SignInConfig{Users: everyone(t), Log: log.logger(), Now: b.now})
	for i := range 500 {
		fails(t, g, 1, fmt.Sprint("user ", i), fmt.Sprintf("192.0.%d.%d", i/250, i%250))
	}
	if n := strings.Count(log.String(), "\n"); n != 20 {
		t.Errorf("%d lines in one second; want 20", n)
	}
	b.move(time.Second)
	fails(t, g, 1, "another", "192.0.2.3")
	if text := log.String(); !strings.Contains(text, "skipped=480") || strings.Count(text, "\n") != 21 {
		t.Errorf("the next second does not log how many were skipped:\n%s", text)
	}
}

func TestRefusedAddressLeavesNoLocalCountersWithoutRedis(t *testing.T) {
	t.Parallel()
	g := session.NewSignIns(session.SignInConfig{Users: everyone(t)})
	for i := range 100 {
		fails(t, g, 1, fmt.Sprint("user ", i), "192.0.2.1")
	}
	for i := range 100 {
		_, err := check(t, g, fmt.Sprint("new name ", i), "x", "192.0.2.1")
		wantRefused(t, err, "a new name")
	}
	// If these had counted for their accounts, ten failures each would lock them.
	for range 10 {
		_, err := check(t, g, "alice", right, "192.0.2.1")
		wantRefused(t, err, "the address")
	}
	if _, err := check(t, g, "alice", right, "192.0.2.2"); err != nil {
		t.Errorf("another address: %v", err)
	}
}
