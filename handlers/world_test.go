package handlers_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/redis/go-redis/v9"

	"github.com/carillonhq/carillon/handlers"
	"github.com/carillonhq/carillon/internal/identity"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/notifier/reception"
)

// noon is the current time in all tests.
var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

var (
	alice = notifier.User{Seq: 1, Name: "alice", Audience: 3}
	bob   = notifier.User{Seq: 2, Name: "bob", Audience: 2}
	carol = notifier.User{Seq: 3, Name: "carol", Audience: 1, Roles: []string{notifier.RoleStaff}}
)

// world is the pages over databases and fakes. The header X-Test-User contains the user of a request.
type world struct {
	decide tasks
	*databases
	config   handlers.Config
	sessions *sessions
	inbox    *inbox
	sender   *sender
	sent     *sentNotices
	posts    *announcements
	health   *health
	audit    *audit
	log      *strings.Builder
	handler  http.Handler
}

// newWorld returns a world without any data, changed by tweak.
func newWorld(t testing.TB, tweak func(w *world)) *world {
	t.Helper()
	return newWorldOn(t, redistest.Client(t), tweak)
}

// newWorldOn is newWorld with the given Redis client.
func newWorldOn(t testing.TB, rdb redis.UniversalClient, tweak func(w *world)) *world {
	t.Helper()
	w := &world{databases: newDatabases(t, rdb), log: &strings.Builder{}, health: &health{}, audit: &audit{}}
	w.sessions = &sessions{
		current: func(r *http.Request) (notifier.Signed, bool, error) {
			for _, u := range []notifier.User{alice, carol} {
				if r.Header.Get("X-Test-User") == u.Name {
					if now, err := w.db.User(r.Context(), u.Seq); err == nil { // without SQL, use the user as cached
						u = now
					}
					return notifier.Signed{User: u, ID: "session-of-" + u.Name}, true, nil
				}
			}
			return notifier.Signed{}, false, nil
		},
	}
	w.decide = noTasks
	w.inbox = &inbox{
		open:  func(int64) (notifier.Page, error) { return notifier.Page{}, nil },
		look:  func(int64, notifier.Query) (notifier.Page, error) { return notifier.Page{}, nil },
		badge: func(int64) (notifier.Badge, error) { return notifier.Badge{}, nil },
	}
	w.posts = &announcements{
		list: func(notifier.Reader) (notifier.OpenAnnouncements, error) { return notifier.OpenAnnouncements{}, nil },
		all:  func(notifier.Reader) ([]int64, notifier.Badge, error) { return nil, notifier.Badge{}, nil },
	}
	w.sender = &sender{
		Notices:  w.notices,
		audit:    w.audit,
		count:    func(notifier.Draft) (int64, error) { return 1, nil },
		progress: func(int64) (notifier.Progress, error) { return notifier.Progress{}, notifier.ErrNotFound },
		progressOf: func(notices []notifier.Notice) ([]notifier.Progress, error) {
			progress := make([]notifier.Progress, len(notices))
			for i, n := range notices {
				progress[i] = notifier.Progress{Notice: n, Delivered: 1400, Read: 30, Counted: true}
			}
			return progress, nil
		},
	}
	w.sent = &sentNotices{
		notices: func(notifier.NoticeQuery) ([]notifier.Notice, error) { return nil, nil },
		notice: func(id int64) (notifier.Notice, error) {
			p, err := w.sender.progress(id)
			return p.Notice, err
		},
	}
	w.config = handlers.Config{
		Who: identity.New(identity.Config{Sessions: w.sessions}), Sessions: w.sessions, Inbox: w.inbox, Asks: noAsks, Tasks: tasks(func(is notifier.Taking) (notifier.Task, error) { return w.decide(is) }), Sender: w.sender, Sent: w.sent, Unread: unreadBy(nil), Health: w.health, Audit: w.audit,
		Announcements: w.posts,
		Archive:       handlers.Archive{Inbox: &storedInbox{err: errAway}, Announcements: lostAnnouncements{}},
		Links:         linkMaker(),
		Store:         w.db, People: w.people, Topics: w.topics, Apps: w.apps, Tokens: w.tokens, Slips: w.slips, Hooks: w.hooks, Receptions: reception.New(reception.Config{
			Store: w.db, Types: w.topics, Read: func(context.Context, []int64) ([]notifier.Snapshot, error) { return nil, nil },
		}), APIKeys: app.APIKeys{Store: w.db, New: w.newKey, Changed: w.tokens.Changed},
		SignIns: signIns(func(string, string, string) (notifier.User, error) {
			return notifier.User{}, notifier.ErrUnauthenticated
		}),
		Accounts: w.accounts,
		Stream:   stream(func(http.ResponseWriter, int64, string) error { return nil }),
		Log:      slog.New(slog.NewTextHandler(w.log, nil)),
		Now:      w.clock,
	}
	if tweak != nil {
		tweak(w)
	}
	w.rebuild()
	return w
}

// rebuild creates the pages again after a configuration change.
func (w *world) rebuild() {
	w.t.Helper()
	h, err := handlers.New(w.config)
	if err != nil {
		w.t.Fatal(err)
	}
	w.handler = h.Handler()
}

// reply is a response and its parsed page.
type reply struct {
	*http.Response
	body string
	page *goquery.Document
}

// pageURL returns a request's address, for a cookie jar.
func pageURL(r *http.Request) *url.URL {
	return &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path}
}

// do sends a request, with the slip cookie from an earlier response; headers are name, value pairs.
func (w *world) do(r *http.Request, user string, headers ...string) reply {
	w.t.Helper()
	if user != "" {
		r.Header.Set("X-Test-User", user)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	for _, c := range w.jar.Cookies(pageURL(r)) {
		r.AddCookie(c)
	}
	rec := httptest.NewRecorder()
	w.handler.ServeHTTP(rec, r)
	res := rec.Result()
	for _, c := range res.Cookies() {
		if c.Name == "carillon-slip" {
			w.jar.SetCookies(pageURL(r), []*http.Cookie{c})
		}
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	page, err := goquery.NewDocumentFromReader(strings.NewReader(string(body)))
	if err != nil {
		w.t.Fatal(err)
	}
	return reply{Response: res, body: string(body), page: page}
}

func (w *world) get(user, address string, headers ...string) reply {
	w.t.Helper()
	return w.do(httptest.NewRequest(http.MethodGet, address, nil), user, headers...)
}

// post sends a form; fields are name, value pairs.
func (w *world) post(user, address string, fields ...string) reply {
	w.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Add(fields[i], fields[i+1])
	}
	return w.postBody(user, address, values.Encode())
}

func (w *world) postBody(user, address, body string, headers ...string) reply {
	w.t.Helper()
	r := httptest.NewRequest(http.MethodPost, address, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return w.do(r, user, headers...)
}

// wantStatus checks the status and that a page of an error is one of ours.
func (r reply) wantStatus(t *testing.T, want int) reply {
	t.Helper()
	if r.StatusCode != want {
		t.Errorf("status %d, want %d\n%s", r.StatusCode, want, r.body)
	}
	return r
}

// wantRedirect checks for a 303 to this address.
func (r reply) wantRedirect(t *testing.T, to string) {
	t.Helper()
	if r.StatusCode != http.StatusSeeOther || r.Header.Get("Location") != to {
		t.Errorf("status %d to %q, want 303 to %q", r.StatusCode, r.Header.Get("Location"), to)
	}
}

// text returns the text of the selected elements, with single spaces.
func (r reply) text(selector string) string {
	return strings.Join(strings.Fields(r.page.Find(selector).Text()), " ")
}

// attr returns an attribute of the first selected element.
func (r reply) attr(selector, name string) string {
	return r.page.Find(selector).First().AttrOr(name, "")
}

// count returns the number of selected elements.
func (r reply) count(selector string) int { return r.page.Find(selector).Length() }

// wantText checks the text of the selected elements.
func (r reply) wantText(t *testing.T, selector, want string) {
	t.Helper()
	if got := r.text(selector); got != want {
		t.Errorf("%s is %q, want %q", selector, got, want)
	}
}
