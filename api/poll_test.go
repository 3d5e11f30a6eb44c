package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// sent sends a notice and waits until these users have it.
func (w *world) sent(t testing.TB, d notifier.Draft, names ...string) notifier.Notice {
	t.Helper()
	if len(names) > 0 && d.Target.Role == "" && d.Target.Topic == (notifier.Topic{}) {
		d.Target.Users = names
	}
	d.Sender = notifier.KeyRef("shop")
	if d.Title == "" {
		d.Title = "A title"
	}
	n, err := w.sendNow(t, d)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		testkit.Eventually(t, name+" has notice "+strconv.FormatInt(n.ID, 10), func() bool {
			return slices.ContainsFunc(w.polled(t, name, "limit=200").Notices, func(p pollNotice) bool { return p.ID == n.ID })
		})
	}
	return n
}

// polled polls a user's inbox.
func (w *world) polled(t testing.TB, name, query string) (a pollAnswer) {
	t.Helper()
	w.call(t, w.read, "GET", "/users/"+name+"/notices?"+query, nil).is(t, http.StatusOK).into(t, &a)
	return a
}

func keysOf(a pollAnswer) (keys []string) {
	for i := range a.Notices {
		keys = append(keys, a.Notices[i].Key)
	}
	return keys
}

// sendNow confirms a draft and sends it, and waits for its delivery.
func (w *world) sendNow(t testing.TB, d notifier.Draft) (notifier.Notice, error) {
	t.Helper()
	sure, err := w.notices.Confirm(t.Context(), d)
	if err != nil {
		return notifier.Notice{}, err
	}
	return w.notices.Send(t.Context(), notifier.Actor{}, sure, nil)
}

func TestAPollReturnsNewNoticesAndMarksNoneAsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.polled(t, "bob", "")
	if first.Unread != 0 || len(first.Notices) != 0 || first.Next != "" || first.Summary != "Nothing unread" || first.Newest == 0 {
		t.Errorf("an empty inbox: %+v", first)
	}
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:1"}, "bob")
	n := w.sent(t, notifier.Draft{
		Type: "rep_notice", Subject: "aisle:7", Scope: "119240", Title: "Aisle 7", Body: "Only 12 units\nare left", Link: "/aisles/7", ExpiresIn: time.Hour,
	}, "bob")
	a := w.polled(t, "bob", "since="+strconv.FormatInt(first.Newest, 10))
	want := pollNotice{
		Key: "rep_notice:aisle:7", ID: n.ID, Type: "rep_notice", Scope: "119240", Title: "Aisle 7", Body: "Only 12 units\nare left", Link: "/aisles/7",
		CreatedAt: rfc3339(n.CreatedAt), ExpiresAt: rfc3339(n.ExpiresAt), Reason: "user",
	}
	if a.Unread != 2 || a.Summary != "2 unread, newest: Aisle 7" || len(a.Notices) != 2 || a.Next != "" {
		t.Fatalf("%+v", a)
	}
	if diff := cmp.Diff(want, a.Notices[0]); diff != "" {
		t.Error(diff)
	}
	// There is nothing after newest, however often it is polled, and all notices stay unread.
	for range 3 {
		again := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10))
		if again.Unread != 2 || len(again.Notices) != 0 || again.Newest != a.Newest || again.Summary != "2 unread" {
			t.Errorf("%+v", again)
		}
	}
	w.sent(t, notifier.Draft{Type: "like", Subject: "photo:1"}, "bob") // replaces the entry
	if got := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10)); !slices.Equal(keysOf(got), []string{"like:photo:1"}) {
		t.Errorf("%+v", got)
	}
}

func TestPagesOfAPollAreConsistentWhileNoticesArrive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 5 {
		w.sent(t, notifier.Draft{Type: "like", Subject: "photo:" + strconv.Itoa(i), Scope: "s" + strconv.Itoa(i%2)}, "bob")
	}
	first := w.polled(t, "bob", "limit=2")
	if want := []string{"like:photo:4", "like:photo:3"}; !slices.Equal(keysOf(first), want) || first.Next == "" {
		t.Fatalf("%+v", first)
	}
	w.sent(t, notifier.Draft{Type: "late"}, "bob")
	second := w.polled(t, "bob", "limit=2&after="+first.Next)
	third := w.polled(t, "bob", "limit=2&after="+second.Next)
	if got := append(keysOf(second), keysOf(third)...); !slices.Equal(got, []string{"like:photo:2", "like:photo:1", "like:photo:0"}) {
		t.Errorf("%q", got)
	}
	if third.Next != "" || second.Newest != first.Newest || third.Newest != first.Newest || third.Unread != 6 {
		t.Errorf("%+v\n%+v", second, third)
	}
	late := w.polled(t, "bob", "since="+strconv.FormatInt(third.Newest, 10))
	if len(late.Notices) != 1 || late.Notices[0].Type != "late" {
		t.Errorf("the notice that came in between: %+v", late)
	}

	scoped := w.polled(t, "bob", "scope=s0&limit=2")
	if want := []string{"like:photo:4", "like:photo:2"}; !slices.Equal(keysOf(scoped), want) {
		t.Errorf("%+v", scoped)
	}
	rest := w.polled(t, "bob", "scope=s0&limit=2&after="+scoped.Next)
	if want := []string{"like:photo:0"}; !slices.Equal(keysOf(rest), want) || rest.Next != "" {
		t.Errorf("%+v", rest)
	}
	// A foreign or malformed cursor leads to the first page.
	for _, cursor := range []string{"", scoped.Next, first.Next[1:], "1700000000000", strings.Repeat("A", 27), "%00", "%ff", strings.Repeat("9", 5000)} {
		if got := w.polled(t, "bob", "limit=1&after="+cursor); len(got.Notices) != 1 || got.Notices[0].Type != "late" {
			t.Errorf("%.40q: %+v", cursor, got)
		}
	}
	if got := w.polled(t, "alice", "limit=1&after="+first.Next); len(got.Notices) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestSinceDefaultsToTheLastThreeDays(t *testing.T) {
	t.Parallel()
	ahead := func(d time.Duration) func(*Config) {
		return func(c *Config) { c.Now = func() time.Time { return time.Now().Add(d) } }
	}
	w := newWorld(t)
	n := w.sent(t, notifier.Draft{Type: "like"}, "bob")
	for _, test := range []struct {
		ahead time.Duration
		since string
		want  int
	}{
		{0, "", 1},
		{pollSince - time.Minute, "", 1},
		{pollSince + time.Minute, "", 0},
		{pollSince + time.Minute, "0", 1},
		{0, rfc3339(n.CreatedAt.Add(-time.Second)), 1},
		{0, n.CreatedAt.Add(-time.Second).In(time.FixedZone("", 9*3600)).Format(time.RFC3339), 1}, // with an unescaped plus sign
		{0, rfc3339(n.CreatedAt.Add(time.Minute)), 0},
		{0, strconv.FormatInt(n.CreatedAt.Add(time.Minute).UnixMilli(), 10), 0},
	} {
		later, err := newServer(w.configured(ahead(test.ahead)))
		if err != nil {
			t.Fatal(err)
		}
		other := *w
		other.handler = later.middleware(later.mux)
		got := other.polled(t, "bob", "since="+test.since)
		if len(got.Notices) != test.want || got.Unread != 1 {
			t.Errorf("%v later, since %q: %+v", test.ahead, test.since, got)
		}
	}
}

// A program whose clock was wrong once, and which continues with newest, must not miss all
// notices until that time.
func TestAPollSinceAFutureTimeStillFindsTheNextNotices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like", Subject: "before"}, "bob")
	for i, since := range []string{"2999-01-01T00:00:00Z", strconv.FormatInt(notifier.MaxAt, 10)} {
		a := w.polled(t, "bob", "since="+since)
		if len(a.Notices) != 0 || a.Unread != int64(i+1) {
			t.Errorf("since %s: %+v", since, a)
		}
		if again := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10)); len(again.Notices) != 0 || again.Newest != a.Newest {
			t.Errorf("since %d: %+v", a.Newest, again)
		}
		subject := "after:" + strconv.Itoa(i)
		w.sent(t, notifier.Draft{Type: "like", Subject: subject}, "bob")
		if got := w.polled(t, "bob", "since="+strconv.FormatInt(a.Newest, 10)); !slices.Equal(keysOf(got), []string{"like:" + subject}) {
			t.Errorf("since %d: %+v", a.Newest, got)
		}
	}
	for _, since := range []string{"9007199254740992", "9223372036854775806", "9223372036854775807"} {
		res := w.call(t, w.read, "GET", "/users/bob/notices?since="+since, nil).is(t, http.StatusUnprocessableEntity)
		if got := res.faults(t); !slices.Equal(got, []string{"query.since"}) {
			t.Errorf("since %s: faults at %v", since, got)
		}
	}
}

// configured returns the configuration of the world's API with a change.
func (w *world) configured(change func(*Config)) Config {
	c := w.Config
	change(&c)
	return c
}

func TestAPollCountsUnreadLikeTheBadge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "like"}, "bob")
	if _, err := w.sendNow(t, notifier.Draft{
		Target: notifier.Target{Audiences: []notifier.Audience{2}}, Title: "The lift is out of order", Sender: notifier.KeyRef("shop"),
	}); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the announcement is open", func() bool { return w.polled(t, "bob", "").Unread == 2 })
	a := w.polled(t, "bob", "")
	if len(a.Notices) != 1 || a.Summary != "2 unread, newest: A title" {
		t.Errorf("%+v", a)
	}
	var b badgeAnswer
	w.call(t, w.read, "GET", "/users/bob/badge", nil).is(t, http.StatusOK).into(t, &b)
	if b.Unread != 2 || b.Inbox != 1 || b.Announcements != 1 || b.Ver == 0 || b.AVer == 0 {
		t.Errorf("%+v", b)
	}
	if got := w.polled(t, "erin", ""); got.Unread != 0 {
		t.Errorf("a customer: %+v", got)
	}
}

func TestExpiredNoticesAreNotPolled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sent(t, notifier.Draft{Type: "stays"}, "bob")
	n, err := w.sendNow(t, notifier.Draft{
		Target: notifier.Target{Users: []string{"bob"}}, Type: "like", Title: "Not for long", Sender: notifier.KeyRef("shop"), ExpiresIn: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "it is gone from the notices and from the count", func() bool {
		asked := time.Now()
		a := w.polled(t, "bob", "")
		if a.Unread != int64(len(a.Notices)) {
			t.Errorf("the notices and the count differ: %+v", a)
		}
		over := !asked.Before(n.ExpiresAt)
		if over && len(a.Notices) != 1 {
			t.Errorf("polled at %v, the notice that expired at %v is still there: %+v", asked, n.ExpiresAt, a)
		}
		return over
	})
}
