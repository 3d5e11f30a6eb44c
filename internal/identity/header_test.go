package identity_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"

	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/session"
	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/keys"
	"github.com/carillonhq/carillon/notifier/person"
	"github.com/carillonhq/carillon/store"
)

// office is an instance that trusts a proxy on this machine, with a clock that only the test moves.
type office struct {
	db       *store.Store
	redis    *miniredis.Miniredis
	sessions *session.Sessions
	who      *identity.Who
	offset   atomic.Int64
}

func newOffice(t *testing.T, header identity.Header) *office {
	t.Helper()
	o := &office{}
	var err error
	if o.db, err = store.Open(t.Context(), store.Config{DataDir: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.db.Close() })
	mini, rdb := redistest.Mini(t)
	o.redis = mini
	o.sessions = session.New(session.Config{SQL: o.db, Redis: rdb, Space: keys.New(""), Now: o.now})
	header.Name, header.From, header.Audience = "X-User", web.Proxies{netip.MustParsePrefix("127.0.0.1/32")}, 2
	o.who = identity.New(identity.Config{
		People: person.New(person.Config{Store: o.db, Audit: o.db, Sessions: o.sessions}), Stamps: o.sessions, Header: &header, Now: o.now,
	})
	return o
}

func (o *office) now() time.Time { return time.Unix(1_800_000_000, o.offset.Load()) }

func (o *office) pass(d time.Duration) { o.offset.Add(int64(d)) }

// change changes a setting of a user, as pages do.
func (o *office) change(t *testing.T, seq int64, theme string) {
	t.Helper()
	if _, err := o.db.SetSettings(t.Context(), seq, notifier.PutSettings{Theme: &theme}); err != nil {
		t.Fatal(err)
	}
	o.sessions.Publish(t.Context(), seq)
}

// get returns a request of ann with these groups.
func get(groups ...string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/inbox", http.NoBody)
	r.RemoteAddr = "127.0.0.1:5000"
	r.Header.Set("X-User", "ann")
	r.Header["X-Groups"] = groups
	return r
}

// A change counts at the next request, and SQL is read no more often than needed.
func TestACopyOfAUserIsUsedWhileTheirStampIsTheSame(t *testing.T) {
	t.Parallel()
	o := newOffice(t, identity.Header{})
	copies, theme := map[int64]bool{}, ""
	var ann int64
	for _, step := range []struct {
		what   string
		change func()
		reads  int
	}{
		{"at first", func() {}, 1},
		{"the stamp was read after SQL", func() {}, 2},
		{"nothing has changed", func() {}, 2},
		{"a change", func() { theme = notifier.ThemeDark; o.change(t, ann, theme) }, 3},
		{"after it", func() {}, 3},
		{"another", func() { theme = notifier.ThemeLight; o.change(t, ann, theme) }, 4},
		{"redis is away", func() { o.redis.SetError("LOADING") }, 5},
		{"still", func() {}, 6},
		{"redis is back", func() { o.redis.SetError(""); o.pass(time.Second) }, 7},
		{"after that", func() {}, 7},
		{"redis has lost the stamp of a change", func() { o.pass(identity.UserFresh) }, 8},
	} {
		step.change()
		o.pass(time.Millisecond)
		asker, err := o.who.Find(get())
		if copies[asker.Copy] = true; err != nil || len(copies) != step.reads || asker.User.Theme != theme {
			t.Errorf("%s: %d copies, want %d, with the theme %q, want %q: %v", step.what, len(copies), step.reads, asker.User.Theme, theme, err)
		}
		ann = asker.User.Seq
	}
}

func TestTheGroupMakesStaffOfTheRequestThatNamesIt(t *testing.T) {
	t.Parallel()
	o := newOffice(t, identity.Header{Groups: "X-Groups", StaffGroup: "night ops"})
	ann, err := o.db.CreateUser(t.Context(), notifier.NewUser{Name: "ann", Audience: 2, Roles: []string{"picker"}})
	if err != nil {
		t.Fatal(err)
	}
	copies := map[int64]bool{}
	for _, test := range []struct {
		groups []string
		staff  bool
	}{
		{[]string{"a, night ops ,b"}, true},
		{nil, false},
		{[]string{"a", "night ops"}, true},
		{[]string{"night", "ops", "night opsx"}, false},
	} {
		o.pass(time.Millisecond)
		asker, err := o.who.Find(get(test.groups...))
		if err != nil || asker.User.HasRole(notifier.RoleStaff) != test.staff || !asker.User.HasRole("picker") || !asker.Proxied {
			t.Errorf("groups %q: %+v, %v", test.groups, asker, err)
		}
		if of := asker.Stream(true, true, o.now()); of.Until.Sub(o.now()) != 15*time.Minute || of.Session != fmt.Sprintf("token 0 0 %d 0", ann.Seq) {
			t.Errorf("the stream is %+v", of)
		}
		copies[asker.Copy] = true
	}
	if len(copies) != 2 { // the second request has the stamp
		t.Errorf("SQL was read %d times within %s", len(copies), identity.UserFresh)
	}
}

func TestAnOutageOfSQLKeepsKnownUsersAndNoDeletedOnes(t *testing.T) {
	t.Parallel()
	for _, deleted := range []bool{false, true} {
		o := newOffice(t, identity.Header{})
		before, err := o.who.Find(get())
		if err != nil {
			t.Fatal(err)
		}
		o.pass(time.Hour)
		if deleted {
			_, _, err = o.db.BeginDeletion(t.Context(), "ann")
		} else {
			err = o.db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		asker, err := o.who.Find(get())
		if deleted && err == nil {
			t.Errorf("a user whose deletion has begun is %+v", asker)
		}
		if !deleted && (err != nil || asker.User.Seq != before.User.Seq || !asker.Until.After(o.now())) {
			t.Errorf("without SQL a known user is %+v, %v", asker, err)
		}
	}
}

func TestAProfileInHeadersKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	o := newOffice(t, identity.Header{Display: "X-Name", Email: "X-Email"})
	find := func(name, display string) notifier.User {
		t.Helper()
		r := get()
		r.Header.Set("X-User", name)
		r.Header["X-Name"] = []string{display, "second"}
		r.Header["X-Email"] = []string{"Ann <ann@example.com>"}
		asker, err := o.who.Find(r)
		if err != nil {
			t.Errorf("%q: %v", display, err)
		}
		return asker.User
	}
	for sent, want := range map[string]string{
		"Jörg":                  "Jörg",   // most proxies
		"J\xf6rg":               "Jörg",   // Apache, Latin-1
		"=?utf-8?q?J=C3=B6rg?=": "Jörg",   // Tailscale: https://tailscale.com/kb/1312/serve
		"=?UTF-8?B?5byg5LiJ?=":  "张三",     // https://github.com/grafana/grafana/issues/34692
		"%E5%BC%A0%E4%B8%89":    "张三",     // https://github.com/gufolabs/noc/pull/136
		"UTF-8''J%C3%B6rg":      "Jörg",   // RFC 8187
		"100%25":                "100%25", // somebody's name
		"=?utf-8?q?broken":      "=?utf-8?q?broken",
		"Ann\tLee":              "Ann Lee",
		"\u200b":                "before", // dropped
		"":                      "",
	} {
		name := fmt.Sprintf("user-%x", sent)
		find(name, "before")
		user := find(name, sent)
		targets, err := o.db.Targets(t.Context(), user.Seq)
		if user.Display != want || err != nil || len(targets) != 1 || targets[0].Address != "ann@example.com" {
			t.Errorf("%q is %q, want %q; mail to %+v, %v", sent, user.Display, want, targets, err)
		}
	}
}

func TestOnlyTheSeparatorOfTheProxySeparatesGroups(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		between, groups string
		staff           bool
	}{
		{",", "a,support", true},
		{",", "a|support", false},
		{"|", "a|support", true},
		{"|", "a,support", false},
		{";", "a; support", true},
		{";", `a\;support`, false}, // Shibboleth: wiki.shibboleth.net/confluence/display/SHIB2/NativeSPAttributeAccess
		{";", `a\;b;support`, true},
		{",", `a\,support`, false}, // mod_auth_openidc: github.com/OpenIDC/mod_auth_openidc, src/util/appinfo.c
		{",", `a\\,support`, true}, // the name a\
		{",", `support\,a`, false},
		{" ", "a  support", true},
		{"|", "a|supporters", false},
	} {
		o := newOffice(t, identity.Header{Groups: "X-Groups", Separator: test.between, StaffGroup: "support"})
		if asker, err := o.who.Find(get(test.groups)); err != nil || asker.User.HasRole(notifier.RoleStaff) != test.staff {
			t.Errorf("%q between groups: %q makes staff: %v, %v", test.between, test.groups, !test.staff, err)
		}
	}
}
