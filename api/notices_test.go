package api

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// accepted sends a notice and returns its ID.
func (w *world) accepted(t testing.TB, key, body string) int64 {
	t.Helper()
	var a acceptedNotice
	res := w.call(t, key, "POST", "/notices", body).is(t, http.StatusAccepted)
	res.into(t, &a)
	if a.ID < 1 || a.State != "accepted" || a.URL != prefix+"/notices/"+strconv.FormatInt(a.ID, 10) || res.Header.Get("Location") != a.URL {
		t.Fatalf("accepted as %+v at %s", a, res.Header.Get("Location"))
	}
	return a.ID
}

// notice gets a notice.
func (w *world) notice(t testing.TB, id int64) noticeOutput {
	t.Helper()
	var n noticeOutput
	w.call(t, w.admin, "GET", "/notices/"+strconv.FormatInt(id, 10), nil).is(t, http.StatusOK).into(t, &n)
	return n
}

// titles returns the titles in a user's inbox, newest first.
func (w *world) titles(t testing.TB, name string) []string {
	t.Helper()
	u, err := w.store.UserByName(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	page, err := w.inbox.Look(t.Context(), u.Seq, notifier.Query{})
	if err != nil {
		t.Fatal(err)
	}
	titles := []string{}
	for _, e := range page.Entries {
		titles = append(titles, e.Title)
	}
	return titles
}

// has waits until a user's inbox has exactly these titles.
func (w *world) has(t testing.TB, name string, titles ...string) {
	t.Helper()
	testkit.Eventually(t, name+" has "+strings.Join(titles, ", "), func() bool {
		return slices.Equal(w.titles(t, name), titles)
	})
}

func TestANoticeReachesItsRecipients(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.topics.Subscribe(t.Context(), notifier.Actor{}, notifier.Subscription{
		Topic: notifier.Topic{Type: "rep_notice", Scope: "119240"}, Subscriber: notifier.Subscriber{Role: "picker"},
	}); err != nil {
		t.Fatal(err)
	}
	users := w.accepted(t, w.send, `{"target":{"users":["alice","bob","alice"]},"type":"like","subject":"photo:1","title":"To two","body":"a\r\nb","link":"/p/1","scope":"s","expires_in":"72h"}`)
	w.has(t, "alice", "To two")
	w.has(t, "bob", "To two")
	role := w.accepted(t, w.send, `{"target":{"role":"picker"},"type":"shift","title":"To a role"}`)
	w.has(t, "carol", "To a role")
	topic := w.accepted(t, w.send, `{"target":{"topic":{"type":"rep_notice","scope":"119240"}},"title":"To a topic"}`)
	w.has(t, "dave", "To a topic", "To a role")
	audience := w.accepted(t, w.send, `{"target":{"audiences":["customer"]},"title":"To customers","pinned":true}`)

	n := w.notice(t, users)
	if n.Key != "like:photo:1" || n.Sender != "key shop" || n.Body != "a\nb" || n.Link != "/p/1" || n.Scope != "s" || n.Type != "like" ||
		!slices.Equal(n.Target.Users, []string{"alice", "bob"}) || n.Revision != 0 {
		t.Errorf("%+v", n)
	}
	created, err1 := time.Parse(time.RFC3339, n.CreatedAt)
	expires, err2 := time.Parse(time.RFC3339, n.ExpiresAt)
	if err1 != nil || err2 != nil || expires.Sub(created) != 72*time.Hour || len(n.CreatedAt) != len("2026-01-02T15:04:05.000Z") {
		t.Errorf("from %s to %s", n.CreatedAt, n.ExpiresAt)
	}
	if n := w.notice(t, role); n.Target.Role != "picker" || n.Counts.Targeted == nil || *n.Counts.Targeted != 2 {
		t.Errorf("%+v", n)
	}
	if n := w.notice(t, topic); n.Target.Topic == nil || *n.Target.Topic != (topicInput{"rep_notice", "119240"}) || n.Type != "rep_notice" || n.Scope != "119240" {
		t.Errorf("%+v", n)
	}
	testkit.Eventually(t, "the announcement is counted", func() bool {
		n := w.notice(t, audience)
		return n.Counts.Read != nil && *n.Counts.Targeted == 1 && *n.Counts.Read == 0 && n.Pinned && n.StartsAt != "" && slices.Equal(n.Target.Audiences, []string{"customer"})
	})
}

func TestANoticeReportsItsProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.accepted(t, w.send, `{"target":{"users":["alice","bob"]},"type":"like","title":"Count me"}`)
	counted := func(delivered, read int64) func() bool {
		return func() bool {
			c := w.notice(t, id).Counts
			return c.Delivered != nil && c.Read != nil && *c.Targeted == 2 && *c.Delivered == delivered && *c.Read == read
		}
	}
	testkit.Eventually(t, "both have it", counted(2, 0))
	alice, err := w.store.UserByName(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.inbox.Open(t.Context(), alice.Seq); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "one has read it", counted(2, 1))
	testkit.Eventually(t, "it is sent", func() bool { return w.notice(t, id).State == string(notifier.StateSent) })
}

func TestAFaultyNoticeIsRefusedWithAllItsFaults(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 201)
	for name, c := range map[string]struct {
		body   string
		places []string
	}{
		"no target":                   {`{"target":{},"type":"like","title":"A"}`, []string{"body.target"}},
		"two targets":                 {`{"target":{"users":["alice"],"role":"picker"},"type":"like","title":"A"}`, []string{"body.target"}},
		"an unknown user":             {`{"target":{"users":["alice","zoe"]},"type":"like","title":"A"}`, []string{"body.target.users"}},
		"an empty name":               {`{"target":{"users":[""]},"type":"like","title":"A"}`, []string{"body.target.users"}},
		"a name with a NUL":           {`{"target":{"users":["a\u0000"]},"type":"like","title":"A"}`, []string{"body.target.users"}},
		"an unknown role":             {`{"target":{"role":"pilot"},"type":"like","title":"A"}`, []string{"body.target.role"}},
		"an unknown role of two":      {`{"target":{"roles":["picker","pilot"]},"type":"like","title":"A"}`, []string{"body.target.roles"}},
		"a role and roles":            {`{"target":{"role":"picker","roles":["staff"]},"type":"like","title":"A"}`, []string{"body.target"}},
		"an unknown audience":         {`{"target":{"audiences":["customer","martians"]},"title":"A"}`, []string{"body.target.audiences[1]"}},
		"a malformed topic":           {`{"target":{"topic":{"type":"No Topic"}},"type":"like","title":"A"}`, []string{"body.target.topic"}},
		"an empty topic":              {`{"target":{"topic":{"type":""}},"title":"A"}`, []string{"body.target.topic.type"}},
		"many faults":                 {`{"target":{"users":["alice"]},"type":"No Type","scope":"a b","subject":"a b","title":"","body":"\u0007","link":"javascript:1"}`, []string{"body.type", "body.scope", "body.subject", "body.title", "body.body", "body.link"}},
		"a long title":                {`{"target":{"users":["alice"]},"type":"like","title":"` + long + `"}`, []string{"body.title"}},
		"a bidi override":             {`{"target":{"users":["alice"]},"type":"like","title":"A ` + "\u202e" + `"}`, []string{"body.title"}},
		"a line break in a title":     {`{"target":{"users":["alice"]},"type":"like","title":"A\nB"}`, []string{"body.title"}},
		"a link to a foreign host":    {`{"target":{"users":["alice"]},"type":"like","title":"A","link":"https://evil.example/"}`, []string{"body.link"}},
		"a link with another scheme":  {`{"target":{"users":["alice"]},"type":"like","title":"A","link":"//evil.example/"}`, []string{"body.link"}},
		"a reserved subject":          {`{"target":{"users":["alice"]},"type":"like","title":"A","subject":"notice_id:3"}`, []string{"body.subject"}},
		"not a duration":              {`{"target":{"users":["alice"]},"type":"like","title":"A","expires_in":"soon"}`, []string{"body.expires_in"}},
		"a duration of zero":          {`{"target":{"users":["alice"]},"type":"like","title":"A","expires_in":"0s"}`, []string{"body.expires_in"}},
		"a duration of a nanosecond":  {`{"target":{"users":["alice"]},"type":"like","title":"A","expires_in":"1ns"}`, []string{"body.expires_in"}},
		"a duration below a second":   {`{"target":{"audiences":["customer"]},"title":"A","expires_in":"999ms"}`, []string{"body.expires_in"}},
		"a negative duration":         {`{"target":{"users":["alice"]},"type":"like","title":"A","expires_in":"-1h"}`, []string{"body.expires_in"}},
		"a long duration":             {`{"target":{"users":["alice"]},"type":"like","title":"A","expires_in":"9000h"}`, []string{"body.expires_in"}},
		"a window to users":           {`{"target":{"users":["alice"]},"type":"like","title":"A","pinned":true,"starts_at":"2030-01-01T00:00:00Z"}`, []string{"body.starts_at", "body.pinned"}},
		"not a time":                  {`{"target":{"audiences":["customer"]},"title":"A","ends_at":"tomorrow"}`, []string{"body.ends_at"}},
		"an end in the past":          {`{"target":{"audiences":["customer"]},"title":"A","ends_at":"2020-01-01T00:00:00Z"}`, []string{"body.ends_at"}},
		"a number of an audience":     {`{"target":{"audiences":["3"]},"title":"A"}`, []string{"body.target.audiences[0]"}},
		"a name of 10,000 characters": {`{"target":{"users":["` + strings.Repeat("a", 10_000) + `"]},"type":"like","title":"A"}`, []string{"body.target.users"}},
	} {
		t.Run(name, func(t *testing.T) {
			res := w.call(t, w.send, "POST", "/notices", c.body).is(t, http.StatusUnprocessableEntity)
			if got := res.faults(t); !slices.Equal(got, c.places) {
				t.Errorf("faults at %v, want %v: %s", got, c.places, res.text)
			}
			if len(res.text) > 2000 {
				t.Errorf("an answer of %d bytes", len(res.text))
			}
			// In a batch, only that notice is refused.
			var batch batchResults
			w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+c.body+`]}`).is(t, http.StatusAccepted).into(t, &batch)
			if e := batch.Results[0].Error; e == nil || e.Status != http.StatusUnprocessableEntity || len(e.Errors) != len(c.places) ||
				e.Errors[0].Location != "body.notices[0]"+strings.TrimPrefix(c.places[0], "body") {
				t.Errorf("in a batch: %+v", batch.Results[0])
			}
		})
	}
	if sent, err := w.store.Notices(t.Context(), notifier.NoticeQuery{}); err != nil || len(sent) != 0 {
		t.Errorf("%d notices were sent, %v", len(sent), err)
	}
}

func TestAKeySeesOnlyNoticesSentUnderItsName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other, twin := w.key(t, "other", "send"), w.key(t, "shop", "send")
	id := w.accepted(t, w.send, `{"target":{"users":["alice"]},"type":"like","title":"Mine"}`)
	path := "/notices/" + strconv.FormatInt(id, 10)
	for _, c := range []struct{ method, body string }{{"GET", ""}, {"PATCH", `{"title":"Yours"}`}, {"DELETE", ""}} {
		var body any
		if c.body != "" {
			body = c.body
		}
		there := w.call(t, other, c.method, path, body).is(t, http.StatusNotFound)
		nowhere := w.call(t, other, c.method, "/notices/999", body).is(t, http.StatusNotFound)
		if there.text != nowhere.text {
			t.Errorf("%s reveals that the notice exists: %s and %s", c.method, there.text, nowhere.text)
		}
	}
	w.call(t, twin, "GET", path, nil).is(t, http.StatusOK) // a second key of the same application
	w.call(t, w.admin, "GET", path, nil).is(t, http.StatusOK)
	if n := w.notice(t, id); n.Title != "Mine" || n.State == string(notifier.StateRetracted) {
		t.Errorf("%+v", n)
	}
}

// A member of the staff may have a name that looks like a key's.
func TestAUserNamedLikeAKeyIsNotTheKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	user, err := w.store.CreateUser(t.Context(), notifier.NewUser{Name: "key shop", Audience: 2})
	if err != nil {
		t.Fatal(err)
	}
	n, err := w.sendNow(t, notifier.Draft{
		Target: notifier.Target{Users: []string{"alice"}}, Type: "bill", Subject: "invoice:42", Title: "By hand", Sender: notifier.UserRef(user),
	})
	if err != nil {
		t.Fatal(err)
	}
	path := "/notices/" + strconv.FormatInt(n.ID, 10)
	w.call(t, w.send, "GET", path, nil).is(t, http.StatusNotFound)
	w.call(t, w.send, "PATCH", path, `{"title":"Yours"}`).is(t, http.StatusNotFound)
	w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusNotFound)
	var out withdrawn
	if w.call(t, w.send, "DELETE", "/subjects/invoice:42", nil).is(t, http.StatusOK).into(t, &out); out.Withdrawn != 0 {
		t.Errorf("the key withdrew %d notices of the user", out.Withdrawn)
	}
	if got := w.notice(t, n.ID); got.Title != "By hand" || got.State == string(notifier.StateRetracted) || got.Sender != "key shop" || got.SenderKind != "user" || got.SenderID != strconv.FormatInt(user.Seq, 10) {
		t.Errorf("%+v", got)
	}
}

func TestMalformedIDsAreNotFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, id := range []string{"0", "-1", "9223372036854775808", "18446744073709551617", "1.0", "0x1", "one", "batch", "%20", "1%00", strings.Repeat("9", 10_000)} {
		w.call(t, w.admin, "GET", "/notices/"+id, nil).is(t, http.StatusNotFound)
		w.call(t, w.admin, "DELETE", "/notices/"+id, nil).is(t, http.StatusNotFound)
		w.call(t, w.admin, "PATCH", "/notices/"+id, `{"title":"A"}`).is(t, http.StatusNotFound)
	}
}

func TestATypeMayBeLeftOutAndIsThenMessage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const one = `{"target":{"users":["alice"]},"title":"Hello"}`
	id := w.accepted(t, w.send, one)
	var batch batchResults
	w.call(t, w.send, "POST", "/notices/batch", `{"notices":[`+one+`,{"target":{"role":"picker"},"title":"Hello, pickers","type":" "}]}`).is(t, http.StatusAccepted).into(t, &batch)
	for _, id := range []int64{id, batch.Results[0].ID, batch.Results[1].ID} {
		if n := w.notice(t, id); n.Type != "message" || n.Key != "message:notice_id:"+strconv.FormatInt(id, 10) {
			t.Errorf("notice %d has the type %q and the key %q", id, n.Type, n.Key)
		}
	}
	alice, err := w.store.UserByName(t.Context(), "alice")
	if err != nil {
		t.Fatal(err)
	}
	if err = w.store.SetMute(t.Context(), alice.Seq, "message", true); err != nil {
		t.Fatal(err)
	}
	for body, users := range map[string]int64{`{"target":{"users":["alice"]},"title":"A"}`: 0, `{"target":{"users":["alice"]},"type":"export","title":"A"}`: 1} {
		if got, _ := w.toasted(t, body); got != users {
			t.Errorf("%s: %d users; alice has muted message", body, got)
		}
	}
	if got := w.call(t, w.send, "POST", "/notices", `{"target":{"topic":{"scope":"7"}},"title":"A"}`).is(t, http.StatusUnprocessableEntity).faults(t); !slices.Contains(got, "body.type") {
		t.Errorf("a topic without a type: faults %v", got)
	}
}
