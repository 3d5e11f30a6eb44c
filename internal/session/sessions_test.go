package session_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestSessionReturnsItsUser(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	for _, u := range []notifier.User{b.alice, b.bob} {
		c := signIn(t, s, u)
		for _, from := range []string{"SQL", "Redis"} {
			signed := wantSigned(t, s, c, from)
			if diff := cmp.Diff(u, signed.User); diff != "" {
				t.Errorf("from %s (-want +got):\n%s", from, diff)
			}
			if want := b.now().Truncate(time.Millisecond); !signed.Since.Equal(want) {
				t.Errorf("from %s: since %v; want %v", from, signed.Since, want)
			}
		}
	}
	if _, ok := current(t, s); ok {
		t.Error("a request without a cookie is signed in")
	}
}

func TestASessionOfAnIdentityProviderEndsWithItsTimeAndItsStaffWithIt(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	carol, err := b.sql.CreateUser(t.Context(), notifier.NewUser{Name: "carol", Audience: 3})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	fresh := sessions.NewSession(s, "carillon")
	fresh.Options, fresh.Values[notifier.SessionUser] = &sessions.Options{}, session.Signed{
		User: carol, By: &notifier.Provided{Until: b.now().Add(3 * time.Hour), Staff: true, IDToken: "e30"},
	}
	if err := fresh.Save(request(t), w); err != nil {
		t.Fatal(err)
	}
	c := only(t, w)
	for _, from := range []string{"SQL", "Redis"} {
		if signed := wantSigned(t, s, c, from); !signed.User.HasRole(notifier.RoleStaff) || signed.By == nil || !signed.By.Until.Equal(b.now().Add(3*time.Hour).Truncate(time.Millisecond)) {
			t.Errorf("from %s: %v, %+v", from, signed.User.Roles, signed.By)
		}
	}
	id := wantSigned(t, s, c, "now").ID
	if token, err := s.IDToken(t.Context(), id); token != "e30" || err != nil {
		t.Errorf("the token is %q, %v", token, err)
	}
	if signed := wantSigned(t, s, signIn(t, s, carol), "with a password"); signed.User.HasRole(notifier.RoleStaff) {
		t.Error("the groups of one session make another staff")
	}
	b.move(3*time.Hour - time.Second)
	wantSigned(t, s, c, "until then")
	b.move(time.Second)
	wantAnonymous(t, s, c, "after its time")
	if live, err := s.Alive(t.Context(), []string{id}); len(live) != 0 || err != nil {
		t.Errorf("its streams go on: %v, %v", live, err)
	}
}

func TestOneSQLReadServesAllInstancesForAMinute(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	one, two := b.open(), b.open()
	c := signIn(t, one, b.alice)
	read := b.now()
	for range 5 {
		for _, s := range []*session.Sessions{one, two} {
			if signed := wantSigned(t, s, c, "a copy"); !signed.Read.Equal(read) {
				t.Errorf("read from SQL at %v; want once, at %v", signed.Read, read)
			}
			b.move(time.Second)
		}
	}
	id := wantSigned(t, one, c, "one").ID
	life := b.cfg.Redis.PTTL(t.Context(), b.cfg.Space.Session(id)).Val()
	if life <= 0 || life > time.Minute {
		t.Errorf("the copy expires in %v; want up to a minute", life)
	}
}

func TestSignOutEndsTheSessionOnAllInstancesAtOnce(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	one, two := b.open(), b.open()
	c, other := signIn(t, one, b.alice), signIn(t, one, b.alice)
	wantSigned(t, two, c, "before")
	if err := signOut(t, one, httptest.NewRecorder(), c); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, one, c, "here")
	wantAnonymous(t, two, c, "on another instance")
	b.cfg.Redis = nil
	wantAnonymous(t, b.open(), c, "in SQL")
	wantSigned(t, two, other, "another session of the user")
	if err := signOut(t, one, httptest.NewRecorder(), c); err != nil {
		t.Errorf("signing out twice: %v", err)
	}
}

func TestReadInFlightDuringSignOutDoesNotRestoreTheSession(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	c := signIn(t, s, b.alice)
	fill := hold(b.cfg.Redis)
	slow := make(chan bool)
	go func() {
		_, ok, err := signedIn(s, request(t, c))
		slow <- ok && err == nil
	}()
	<-fill.reached // SQL has returned the session, but its copy is not in Redis yet
	if err := signOut(t, s, httptest.NewRecorder(), c); err != nil {
		t.Fatal(err)
	}
	close(fill.release)
	if !<-slow {
		t.Error("the request that began before the end was not signed in")
	}
	wantAnonymous(t, s, c, "after the end")
	id, _, _ := signedIn(s, request(t, signIn(t, s, b.alice)))
	if b.cfg.Redis.Get(t.Context(), b.cfg.Space.Session(id.ID)).Val() == "" {
		t.Error("no copies are stored at all, so this test proves nothing")
	}
}

func TestSignInRenewsTheIDAndEndsTheOldSession(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	old := signIn(t, s, b.alice)
	wantSigned(t, s, old, "old")
	fresh := signIn(t, s, b.bob, old)
	wantAnonymous(t, s, old, "the old session")
	if got := wantSigned(t, s, fresh, "the new one").User.Seq; got != b.bob.Seq {
		t.Errorf("user %d is signed in; want %d", got, b.bob.Seq)
	}
}

func TestExpelEndsAllSessionsOfTheUser(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	one, two, bob := signIn(t, s, b.alice), signIn(t, s, b.alice), signIn(t, s, b.bob)
	wantSigned(t, s, one, "one")
	wantSigned(t, s, two, "two")
	if n, err := s.Expel(t.Context(), b.alice.Seq); n != 2 || err != nil {
		t.Fatalf("%d sessions ended, %v; want 2", n, err)
	}
	wantAnonymous(t, s, one, "one")
	wantAnonymous(t, s, two, "two")
	wantSigned(t, s, bob, "another user")
}

func TestSessionEndsAfterTwelveIdleHoursOrThirtyDays(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.Redis = nil // copies in Redis expire by a clock that this test does not move
	s := b.open()
	idle, busy := signIn(t, s, b.alice), signIn(t, s, b.alice)
	b.move(12*time.Hour - time.Second)
	wantSigned(t, s, busy, "almost idle too long")
	b.move(2 * time.Second)
	wantAnonymous(t, s, idle, "idle for 12 hours")
	for range 29 * 4 { // until some hours before the end of the thirtieth day
		b.move(6 * time.Hour)
		wantSigned(t, s, busy, "in use")
		writeSeen(t, s)
	}
	b.move(12*time.Hour - 10*time.Second)
	wantSigned(t, s, busy, "almost thirty days old")
	b.move(10 * time.Second)
	wantAnonymous(t, s, busy, "thirty days old")
}

func TestCopyDoesNotOutliveTheSession(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	c := signIn(t, s, b.alice)
	wantSigned(t, s, c, "fresh")
	b.move(30 * 24 * time.Hour) // the copy is still in Redis
	wantAnonymous(t, s, c, "thirty days later")
}

// writeSeen writes last-seen times, as Run does every two seconds.
func writeSeen(t *testing.T, s *session.Sessions) {
	t.Helper()
	if err := s.WriteSeen(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// seen returns the last-seen times of a user's sessions in SQL.
func seen(t *testing.T, s *session.Sessions, u notifier.User) (all []time.Time) {
	t.Helper()
	own, err := s.OwnSessions(t.Context(), u.Seq)
	if err != nil || len(own) == 0 {
		t.Fatalf("%d sessions, %v", len(own), err)
	}
	for i := range own {
		all = append(all, own[i].Seen)
	}
	return all
}

func TestLastSeenIsWrittenAtMostEveryFiveMinutes(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	b.cfg.Redis = nil
	s := b.open()
	c := signIn(t, s, b.alice)
	at := seen(t, s, b.alice)[0]
	written := 0
	for range 20 { // twenty minutes
		b.move(time.Minute)
		wantSigned(t, s, c, "in use")
		writeSeen(t, s)
		if now := seen(t, s, b.alice)[0]; !now.Equal(at) {
			at, written = now, written+1
		}
	}
	if written != 4 {
		t.Errorf("last-seen was written %d times in 20 minutes; want 4", written)
	}
	// Only a session that has nearly expired is written before the response.
	b.move(11 * time.Hour)
	wantSigned(t, s, c, "after 11 hours")
	if now := seen(t, s, b.alice)[0]; !now.Equal(at) {
		t.Error("a page waited for last-seen to be written")
	}
	writeSeen(t, s)
	b.move(12*time.Hour - 30*time.Second)
	wantSigned(t, s, c, "nearly expired")
	if now := seen(t, s, b.alice)[0]; !now.Equal(b.now().Truncate(time.Millisecond)) {
		t.Errorf("last-seen is %v, want %v", now, b.now())
	}
	b.move(time.Minute)
	wantSigned(t, b.open(), c, "on another instance")
}

func TestLastSeenOfAllSessionsIsWrittenAtTheStop(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	var all []*http.Cookie
	for range 10 {
		all = append(all, signIn(t, s, b.alice))
	}
	b.move(6 * time.Minute)
	for _, c := range all {
		wantSigned(t, s, c, "in use")
	}
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, at := range seen(t, s, b.alice) {
		if !at.Equal(b.now().Truncate(time.Millisecond)) {
			t.Errorf("a session was last seen at %v, want %v", at, b.now())
		}
	}
}

func TestAliveReturnsOnlyValidSessions(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	stays, ends := signIn(t, s, b.alice), signIn(t, s, b.bob)
	a, z := wantSigned(t, s, stays, "a").ID, wantSigned(t, s, ends, "z").ID
	if err := signOut(t, s, httptest.NewRecorder(), ends); err != nil {
		t.Fatal(err)
	}
	alive, err := s.Alive(t.Context(), []string{a, z, "unknown"})
	if err != nil || len(alive) != 1 || alive[a] != b.alice.Audience {
		t.Errorf("alive = %v, %v; want only %s", alive, err, a)
	}
	b.move(13 * time.Hour)
	if alive, err = s.Alive(t.Context(), []string{a}); err != nil || len(alive) != 0 {
		t.Errorf("idle for 13 hours: alive = %v, %v; want none", alive, err)
	}
}

func TestRunDeletesExpiredSessions(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	signIn(t, s, b.alice)
	b.move(13 * time.Hour)
	fresh := signIn(t, s, b.alice)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Run(ctx) }()
	testkit.Eventually(t, "one session is left", func() bool {
		ids, err := b.sql.SessionsOf(t.Context(), b.alice.Seq)
		return err == nil && len(ids) == 1
	})
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Run ended with %v", err)
	}
	wantSigned(t, s, fresh, "the new one")
}

func TestCopyWrittenByAnOlderVersionIsIgnored(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	if _, err := b.sql.SetSettings(t.Context(), b.alice.Seq, notifier.PutSettings{Theme: new(notifier.ThemeDark), KeysOff: new(true)}); err != nil {
		t.Fatal(err)
	}
	s := b.open()
	c := signIn(t, s, b.alice)
	id := wantSigned(t, s, c, "new").ID
	old := strings.Join([]string{"1", strconv.FormatInt(b.now().UnixMilli(), 10), "1", "3", "ja", "alice", "picker", "staff", "walker"}, "\n")
	if err := b.cfg.Redis.Set(t.Context(), b.cfg.Space.Session(id), old, time.Minute).Err(); err != nil {
		t.Fatal(err)
	}
	b.move(time.Second)
	signed := wantSigned(t, s, c, "with an old copy")
	if signed.User.Theme != notifier.ThemeDark || !signed.User.KeysOff || !signed.Read.Equal(b.now()) {
		t.Errorf("the settings of alice are %+v, read at %v; want those in SQL at %v", signed.User.Settings, signed.Read, b.now())
	}
}

func TestPublishShowsChangesWithoutRestoringEndedSessions(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	one, two := b.open(), b.open()
	c, ended := signIn(t, one, b.alice), signIn(t, one, b.alice)
	wantSigned(t, two, c, "before")
	wantSigned(t, two, ended, "before")
	if err := signOut(t, two, httptest.NewRecorder(), ended); err != nil {
		t.Fatal(err)
	}
	if _, err := b.sql.SetSettings(t.Context(), b.alice.Seq, notifier.PutSettings{Locale: new("en"), Theme: new(notifier.ThemeLight), ToastsOff: new(true), OpensOnly: new(true)}); err != nil {
		t.Fatal(err)
	}
	one.Publish(t.Context(), b.alice.Seq)
	want := notifier.Settings{Locale: "en", Theme: notifier.ThemeLight, ToastsOff: true, OpensOnly: true}
	for _, what := range []string{"from SQL", "from the copy"} {
		if got := wantSigned(t, two, c, what).User.Settings; got != want {
			t.Errorf("%s: the other instance shows %+v; want %+v", what, got, want)
		}
	}
	wantAnonymous(t, two, ended, "signed out before the change")
}

func TestDevicesOutliveTheirSessionsAndEndAfter90DaysWithoutUse(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	signed := wantSigned(t, s, signIn(t, s, b.alice), "signed in")
	if _, _, err := b.sql.AddDevice(t.Context(), notifier.NewDevice{Seq: b.alice.Seq, Session: signed.ID, Endpoint: "https://push.example/1", Keys: []byte{1}}); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	devices := func() int {
		t.Helper()
		all, err := b.sql.Devices(t.Context(), b.alice.Seq, "")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	sessions := func() int {
		t.Helper()
		ids, err := b.sql.SessionsOf(t.Context(), b.alice.Seq)
		if err != nil {
			t.Fatal(err)
		}
		return len(ids)
	}
	b.move(13 * time.Hour)
	testkit.Eventually(t, "the session has ended", func() bool { return sessions() == 0 })
	if devices() != 1 {
		t.Fatal("the device ended with its session")
	}
	b.move(91 * 24 * time.Hour)
	testkit.Eventually(t, "the device has ended", func() bool { return devices() == 0 })
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
}
