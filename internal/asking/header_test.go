package asking_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/asking"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
)

// people has one user, ann, who has a role already.
type people struct {
	asking.People
	asked int
	err   error
}

func (p *people) Proxied(_ context.Context, who notifier.ProxiedUser) (notifier.User, string, error) {
	p.asked++
	return notifier.User{Seq: 7, Name: who.Name, Roles: []string{"picker"}}, "token 0 0 7 0", p.err
}

// stamps has a stamp that the test sets; away: Redis does not say.
type stamps struct {
	stamp string
	away  bool
}

func (s *stamps) Stamp(context.Context, int64) (string, bool) { return s.stamp, !s.away }

// A change counts at the next request, and SQL is asked no more often than needed.
func TestACopyOfAUserIsBelievedWhileTheirStampIsTheSame(t *testing.T) {
	t.Parallel()
	now, sql, told := time.Unix(1_800_000_000, 0), &people{}, &stamps{}
	w := asking.New(asking.Config{People: sql, Stamps: told, Now: func() time.Time { return now }, Header: &asking.Header{
		Name: "X-User", From: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Audience: 2,
	}})
	copies := map[int64]bool{}
	for _, step := range []struct {
		what   string
		change func()
		asked  int
	}{
		{"at first", func() {}, 1},
		{"the stamp was read after SQL", func() {}, 2},
		{"nothing has changed", func() {}, 2},
		{"a change", func() { told.stamp = "a" }, 3},
		{"after it", func() {}, 3},
		{"another", func() { told.stamp = "b" }, 4},
		{"redis is away", func() { told.away = true }, 5},
		{"still", func() {}, 6},
		{"redis is back", func() { told.away = false }, 7},
		{"after that", func() {}, 7},
		{"redis has lost the stamp of a change", func() { now = now.Add(asking.UserFresh) }, 8},
	} {
		step.change()
		now = now.Add(time.Millisecond)
		asker, err := w.Find(get())
		if err != nil || sql.asked != step.asked {
			t.Errorf("%s: SQL was asked %d times, want %d: %v", step.what, sql.asked, step.asked, err)
		}
		if copies[asker.Copy] = true; len(copies) != sql.asked {
			t.Errorf("%s: %d copies", step.what, len(copies))
		}
	}
}

func get(groups ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/inbox", http.NoBody)
	r.RemoteAddr = "127.0.0.1:5000"
	r.Header.Set("X-User", "ann")
	r.Header["X-Groups"] = groups
	return r
}

func TestTheGroupMakesStaffOfTheRequestThatNamesIt(t *testing.T) {
	t.Parallel()
	now, sql := time.Unix(1_800_000_000, 0), &people{}
	w := asking.New(asking.Config{People: sql, Stamps: &stamps{}, Now: func() time.Time { return now }, Header: &asking.Header{
		Name: "X-User", Groups: "X-Groups", StaffGroup: "night ops", From: web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, Audience: 2,
	}})
	for _, test := range []struct {
		groups []string
		staff  bool
	}{
		{[]string{"a, night ops ,b"}, true},
		{nil, false},
		{[]string{"a", "night ops"}, true},
		{[]string{"night", "ops", "night opsx"}, false},
	} {
		asker, err := w.Find(get(test.groups...))
		if err != nil || asker.User.HasRole(notifier.RoleStaff) != test.staff || !asker.User.HasRole("picker") || !asker.Proxied {
			t.Errorf("groups %q: %+v, %v", test.groups, asker, err)
		}
		if of := asker.Stream(true, true, now); of.Until.Sub(now) != 15*time.Minute || of.Session != "token 0 0 7 0" {
			t.Errorf("the stream is %+v", of)
		}
	}
	if sql.asked != 2 { // for the second request with the stamp
		t.Errorf("SQL was asked %d times within %s", sql.asked, asking.UserFresh)
	}
	now, sql.err = now.Add(time.Hour), notifier.ErrUnavailable
	if asker, err := w.Find(get()); err != nil || asker.User.Seq != 7 || !asker.Until.After(now) {
		t.Errorf("without SQL a known user is %+v, %v", asker, err)
	}
	sql.err = notifier.ErrFull
	if _, err := w.Find(get()); err == nil {
		t.Error("an error is hidden")
	}
}
