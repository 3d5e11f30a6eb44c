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
	w := asking.New(asking.Config{People: sql, Now: func() time.Time { return now }, Header: &asking.Header{
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
	if sql.asked != 1 {
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
