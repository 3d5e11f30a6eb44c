package main

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/internal/config"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// bureau is a site with its audit log. Doors are pages, API calls and commands that make changes.
type bureau struct {
	*land
	db   *sql.DB
	at   store.Config
	seen int64 // id of the last entry returned so far
	n    int
}

// work is one change, with every door that can make it. A placeholder %N stands for the object, such as the id of a
// notice.
type work struct {
	object func(t *testing.T, b *bureau) string // creates the object of the change; nil: none
	doors  []workDoor
	done   func(t *testing.T, b *bureau, object string) bool // nil: a door itself fails if the change was not made
}

// workDoor makes the change. entries are the entries that it adds to the audit log, as actor, action, object and
// detail; %N is the object, %ID the id of the object created by the change.
type workDoor struct {
	name    string
	enter   func(t *testing.T, b *bureau, object string)
	entries []string
}

func byPage(entry, path string, fields ...string) workDoor {
	return workDoor{"page", func(t *testing.T, b *bureau, object string) {
		form := url.Values{}
		for i := 0; i+1 < len(fields); i += 2 {
			form.Add(fields[i], strings.ReplaceAll(fields[i+1], "%N", object))
		}
		b.admin.post(t, strings.ReplaceAll(path, "%N", object), form)
	}, entries(entry)}
}

func byAPI(entry, method, path, body string) workDoor {
	return workDoor{"API", func(t *testing.T, b *bureau, object string) {
		b.api(t, method, strings.ReplaceAll(path, "%N", url.PathEscape(object)), strings.ReplaceAll(body, "%N", object))
	}, entries(entry)}
}

func byCommand(entry string, args ...string) workDoor {
	return workDoor{"command", func(t *testing.T, b *bureau, object string) {
		words := make([]string, len(args))
		for i, word := range args {
			words[i] = strings.ReplaceAll(word, "%N", object)
		}
		b.command(t, words...)
	}, entries(entry)}
}

func (d workDoor) named(name string) workDoor {
	d.name = name
	return d
}

func entries(entry string) []string {
	if entry == "" {
		return nil
	}
	return []string{entry}
}

func works() map[string]work {
	const one = `{"target":{"users":["admin"]},"type":"order","title":"One"}`
	return map[string]work{
		"send": {doors: []workDoor{
			byPage("user admin notice.send notice %ID", "/staff/send", "target", "user", "to", "admin", "type", "order", "title", "One"),
			byPage("user admin notice.send notice %ID test", "/staff/send", "target", "user", "to", "nobody", "type", "order", "title", "One", "test", "1").named("test"),
			byAPI("key shop notice.send notice %ID", http.MethodPost, "/notices", one),
			byAPI("key shop notice.send notice %ID", http.MethodPost, "/notices/batch", `{"notices":[`+one+`]}`).named("batch of one"),
			byAPI("key shop notice.send  2 notices, %ID-1 to %ID", http.MethodPost, "/notices/batch", `{"notices":[`+one+`,`+one+`,{"target":{"users":["admin"]},"type":"order"}]}`).named("batch"),
			byCommand("command carillon send notice.send notice %ID", "send", "--to", "admin", "--type", "order", "--title", "One"),
		}},
		"announce": {doors: []workDoor{
			byPage("user admin notice.send notice %ID", "/staff/send", "target", "audience", "to_audience", "customer", "title", "To all"),
			byAPI("key shop notice.send notice %ID", http.MethodPost, "/notices", `{"target":{"audiences":["customer"]},"title":"To all"}`),
			byCommand("command carillon announce notice.send notice %ID", "announce", "--audience", "customer", "--title", "To all"),
		}},
		"edit": {object: sentNotice, done: titled("Other"), doors: []workDoor{
			byPage("user admin notice.edit notice %N", "/staff/notices/%N/edit", "title", "Other"),
			byAPI("key shop notice.edit notice %N", http.MethodPatch, "/notices/%N", `{"title":"Other"}`),
		}},
		"edit a scheduled notice": {object: scheduledNotice, done: titled("Other"), doors: []workDoor{
			byAPI("key shop notice.edit notice %N", http.MethodPatch, "/notices/%N", `{"title":"Other"}`),
		}},
		"edit an announcement": {object: openAnnouncement, done: titled("Other"), doors: []workDoor{
			byPage("user admin notice.edit notice %N", "/staff/notices/%N/edit", "target", "audience", "to_audience", "customer", "title", "Other"),
			byAPI("key shop notice.edit notice %N", http.MethodPatch, "/notices/%N", `{"title":"Other"}`),
			byAPI("key shop notice.edit notice %N unread for everybody", http.MethodPatch, "/notices/%N", `{"title":"Other","unread":true}`).named("unread"),
		}},
		"retract": {object: sentNotice, done: retracted, doors: []workDoor{
			byPage("user admin notice.retract notice %N", "/staff/notices/%N/retract"),
			byAPI("key shop notice.retract notice %N", http.MethodDelete, "/notices/%N", ""),
		}},
		"retract by subject": {
			object: func(t *testing.T, b *bureau) string {
				subject := unused(t, b)
				b.sends(t, `{"target":{"users":["admin"]},"type":"order","subject":"`+subject+`","title":"One"}`)
				return subject
			},
			doors: []workDoor{byAPI("key shop notice.retract notice %ID", http.MethodDelete, "/subjects/%N", "")},
		},
		"cancel": {object: scheduledNotice, done: retracted, doors: []workDoor{
			byPage("user admin notice.retract notice %N", "/staff/notices/%N/retract"),
			byAPI("key shop notice.retract notice %N", http.MethodDelete, "/notices/%N", ""),
		}},
		"retract an announcement": {object: openAnnouncement, done: retracted, doors: []workDoor{
			byPage("user admin notice.retract notice %N", "/staff/notices/%N/retract"),
			byAPI("key shop notice.retract notice %N", http.MethodDelete, "/notices/%N", ""),
		}},
		"remind": {object: sentNotice, doors: []workDoor{byPage("user admin notice.remind notice %N", "/staff/notices/%N/remind")}},
		"delete an announcement": {
			object: func(t *testing.T, b *bureau) string {
				id := openAnnouncement(t, b)
				b.api(t, http.MethodDelete, "/notices/"+id, "")
				return id
			},
			doors: []workDoor{byPage("user admin notice.delete notice %N", "/staff/notices/%N/delete")},
			done: func(t *testing.T, b *bureau, id string) bool {
				status, _ := application(t, b.one, b.key, http.MethodGet, "/notices/"+id, "")
				return status == http.StatusNotFound
			},
		},
		"describe a type": {object: unused, doors: []workDoor{
			byPage("user admin type.save type %N", "/staff/types", "action", "add", "slug", "%N", "names.en", "Name"),
			byAPI("key shop type.save type %N", http.MethodPut, "/types/%N", `{"names":{"en":"Name"}}`),
		}},
		"subscribe": {object: unused, doors: []workDoor{
			byPage("user admin subscription.add user admin %N:w1", "/staff/subscriptions", "action", "add", "type", "%N", "scope", "w1", "user", "admin"),
			byAPI("key shop subscription.add user admin %N:w1", http.MethodPut, "/subscriptions", `{"type":"%N","scope":"w1","user":"admin"}`),
		}},
		"unsubscribe": {
			object: func(t *testing.T, b *bureau) string {
				typ := unused(t, b)
				b.api(t, http.MethodPut, "/subscriptions", `{"type":"`+typ+`","scope":"w1","role":"staff"}`)
				return typ
			},
			doors: []workDoor{
				byPage("user admin subscription.remove role staff %N:w1", "/staff/subscriptions", "action", "remove", "type", "%N", "scope", "w1", "role", "staff"),
				byAPI("key shop subscription.remove role staff %N:w1", http.MethodDelete, "/subscriptions", `{"type":"%N","scope":"w1","role":"staff"}`),
			},
		},
		"add a key": {object: unused, doors: []workDoor{
			byPage("user admin key.add key %N %KEY send", "/staff/keys", "name", "%N", "scope", "send"),
			byCommand("command command line key.add key %N %KEY send", "key", "add", "%N", "--scope", "send"),
		}},
		"change an app": {
			object: func(t *testing.T, b *bureau) string {
				name := unused(t, b)
				b.command(t, "app", "add", name)
				return name
			},
			doors: []workDoor{
				{"page", func(t *testing.T, b *bureau, name string) {
					b.admin.post(t, "/staff/apps/"+b.last(t, "apps"), url.Values{"action": {"set"}, "origins": {"https://" + name + ".example.com"}})
				}, entries("user admin app.change app %N origins")},
				byAPI("key shop app.change app %N origins", http.MethodPatch, "/apps/%N", `{"origins":["https://%N.example.com"]}`),
				byCommand("command command line app.change app %N origins", "app", "set", "%N", "--origin", "https://%N.example.com"),
			},
			done: func(t *testing.T, b *bureau, name string) bool {
				for _, s := range []*running{b.one, b.two} {
					testkit.Eventually(t, "pages of the app may call", func() bool { return allows(t, s, "https://"+name+".example.com") })
				}
				return true
			},
		},
		"give an app another API key": {
			object: func(t *testing.T, b *bureau) string {
				name := unused(t, b)
				b.command(t, "app", "add", name)
				return name
			},
			doors: []workDoor{
				{"page", func(t *testing.T, b *bureau, _ string) {
					b.admin.post(t, "/staff/apps/"+b.last(t, "apps"), url.Values{"action": {"rotate-api-key"}})
				}, entries("user admin app.rotate app %N API key %KEY send")},
				byCommand("command command line app.rotate app %N API key %KEY send", "app", "rotate", "%N", "--api-key", "--grace", "24h"),
			},
		},
		"revoke a key": {
			object: func(t *testing.T, b *bureau) string {
				b.command(t, "key", "add", unused(t, b), "--scope", "read")
				return b.last(t, "api_keys")
			},
			doors: []workDoor{
				byPage("user admin key.revoke key %NAME %N read", "/staff/keys", "action", "revoke", "id", "%N"),
				byCommand("command command line key.revoke key %NAME %N read", "key", "revoke", "%N"),
			},
		},
		"replay a dead letter":  {object: deadLetter, doors: []workDoor{byPage("user admin deadletter.replay dead_letter %N", "/staff/deadletters/%N/replay")}},
		"discard a dead letter": {object: deadLetter, doors: []workDoor{byPage("user admin deadletter.delete dead_letter %N", "/staff/deadletters/%N/delete")}},
		"revoke a revoked key": {
			object: func(t *testing.T, b *bureau) string {
				b.command(t, "key", "add", unused(t, b), "--scope", "read")
				id := b.last(t, "api_keys")
				b.command(t, "key", "revoke", id)
				return id
			},
			doors: []workDoor{byPage("", "/staff/keys", "action", "revoke", "id", "%N"), byCommand("", "key", "revoke", "%N")},
		},
	}
}

// allows reports whether pages of an origin may make calls.
func allows(t *testing.T, s *running, origin string) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, s.URL+"/api/v1/me/badge", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	r.Header.Set("Access-Control-Request-Method", http.MethodGet)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	return res.Header.Get("Access-Control-Allow-Origin") == origin
}

// unused returns an unused name.
func unused(_ *testing.T, b *bureau) string {
	b.n++
	return "name" + strconv.Itoa(b.n)
}

func numbered(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (b *bureau) sends(t *testing.T, body string) string {
	t.Helper()
	b.api(t, http.MethodPost, "/notices", body)
	return b.last(t, "notices")
}

// sentNotice sends admin a notice, which stays unread, and returns its id.
func sentNotice(t *testing.T, b *bureau) string {
	id := b.sends(t, `{"target":{"users":["admin"]},"type":"order","title":"One"}`)
	testkit.Eventually(t, "the notice is delivered", func() bool { return b.notice(t, id).State == "sent" })
	return id
}

// deadLetter creates a dead letter for a notice, and returns its id.
func deadLetter(t *testing.T, b *bureau) string {
	id := sentNotice(t, b)
	db, err := store.Open(t.Context(), b.at)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Bury(t.Context(), 0, 0, notifier.DeadLetter{NoticeID: int64(numbered(t, id)), Entry: `{"notice":` + id + `}`}); err != nil {
		t.Fatal(err)
	}
	return b.last(t, "dead_letters")
}

func scheduledNotice(t *testing.T, b *bureau) string {
	return b.sends(t, `{"target":{"users":["admin"]},"type":"order","title":"One","send_at":"`+time.Now().Add(time.Hour).UTC().Format(time.RFC3339)+`"}`)
}

func openAnnouncement(t *testing.T, b *bureau) string {
	return b.sends(t, `{"target":{"audiences":["customer"]},"title":"To all"}`)
}

// titled does not wait: an edit is in effect when the call returns.
func titled(want string) func(t *testing.T, b *bureau, id string) bool {
	return func(t *testing.T, b *bureau, id string) bool { return b.notice(t, id).Title == want }
}

func retracted(t *testing.T, b *bureau, id string) bool {
	return strings.HasPrefix(b.notice(t, id).State, "retract")
}

func (b *bureau) notice(t *testing.T, id string) (n struct{ State, Title string }) {
	t.Helper()
	status, answer := application(t, b.two, b.key, http.MethodGet, "/notices/"+id, "")
	if err := json.Unmarshal([]byte(answer), &n); err != nil || status != http.StatusOK {
		t.Fatalf("notice %s: %d %s", id, status, answer)
	}
	return n
}

// last returns the highest id in a table, or 0 if it is empty.
func (b *bureau) last(t *testing.T, table string) (id string) {
	t.Helper()
	if err := b.db.QueryRowContext(t.Context(), `SELECT COALESCE(MAX(id), 0) FROM `+table).Scan(&id); err != nil {
		t.Fatal(err)
	}
	return id
}

// entries returns the entries added to the audit log since the last call, with the names of users.
func (b *bureau) entries(t *testing.T) (all []string) {
	t.Helper()
	rows, err := b.db.QueryContext(t.Context(), `SELECT a.id, actor_kind, COALESCE(x.name, actor_id), action, object_kind, COALESCE(y.name, object_id), detail, address
		FROM audit_log a LEFT JOIN users x ON actor_kind = 'user' AND CAST(x.seq AS TEXT) = actor_id
		LEFT JOIN users y ON object_kind = 'user' AND CAST(y.seq AS TEXT) = object_id WHERE a.id > $1 ORDER BY a.id`, b.seen)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, actor, action, object, objectID, detail, address string
		if err := rows.Scan(&b.seen, &kind, &actor, &action, &object, &objectID, &detail, &address); err != nil {
			t.Fatal(err)
		}
		if (address == "") != (kind == "command") {
			t.Errorf("%s by %s %s came from %q", action, kind, actor, address)
		}
		all = append(all, strings.TrimSpace(kind+" "+actor+" "+action+" "+strings.TrimSpace(object+" "+objectID)+" "+detail))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Every change of notices, types, subscriptions and keys has the same effect through every door, and is in the audit
// log once, with its actor and address.
func TestEveryDeedIsInTheAuditLogOnceByEveryDoor(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"SQLite", "PostgreSQL"} {
		t.Run(database, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			c := in(dir).
				with("CARILLON_REDIS_URL", "unix://"+redistest.LeastRights(t, redistest.Client(t), t.Name()+":")+redistest.Socket(t)).with("CARILLON_REDIS_PREFIX", t.Name()+":").
				with("CARILLON_SESSION_KEYS", strings.Repeat("5e", config.KeyBytes))
			at := store.Config{DataDir: dir}
			driver, source := "sqlite", "file:"+filepath.Join(dir, "carillon.db")+"?_pragma=query_only(1)"
			if database == "PostgreSQL" {
				driver, source = "pgx", sqltest.URL(t)
				at.URL = source
				c = c.with("CARILLON_DATABASE_URL", source)
			}
			b := &bureau{land: newLandOn(t, c, c), at: at}
			var err error
			if b.db, err = sql.Open(driver, source); err != nil {
				t.Fatal(err)
			}
			defer b.db.Close()
			for what, work := range works() {
				for _, door := range work.doors {
					object, name := "", ""
					if work.object != nil {
						object = work.object(t, b)
						name = "name" + strconv.Itoa(b.n)
					}
					b.entries(t)
					door.enter(t, b, object)
					got := b.entries(t)
					var want []string
					made := numbered(t, b.last(t, "notices"))
					for _, entry := range door.entries {
						want = append(want, strings.NewReplacer("%ID-1", strconv.Itoa(made-1), "%ID", strconv.Itoa(made), "%NAME", name,
							"%N", object, "%KEY", b.last(t, "api_keys")).Replace(entry))
					}
					for i := range want {
						want[i] = strings.ReplaceAll(want[i], "  ", " ")
					}
					for i := range got {
						got[i] = strings.ReplaceAll(got[i], "  ", " ")
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("%s by %s (-want +got):\n%s", what, door.name, diff)
					}
					if work.done != nil && !work.done(t, b, object) {
						t.Errorf("%s by %s has no effect", what, door.name)
					}
				}
			}
		})
	}
}
