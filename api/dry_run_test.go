package api

import (
	"bytes"
	"database/sql"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// rehearse tries a notice.
func (w *world) rehearse(t *testing.T, key, fields string) (found rehearsal) {
	t.Helper()
	w.call(t, key, "POST", "/notices?dry_run=1", `{"title":"Hello",`+fields+`}`, "Idempotency-Key", "dry").is(t, http.StatusOK).into(t, &found)
	return found
}

// names of the people, in order.
func (r *rehearsal) names() (all []string) {
	for _, p := range r.People {
		all = append(all, p.User)
	}
	return all
}

// ways of a user.
func (r *rehearsal) ways(user string) string {
	for _, p := range r.People {
		if p.User == user {
			return fmt.Sprint(p.Ways, " ", p.Asleep)
		}
	}
	return ""
}

// contents returns all that is in SQLite and Redis.
func (w *world) contents(t *testing.T) string {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(w.dir, "carillon.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var all []string
	list := func(query string) (lines []string) {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rows.Close() }()
		columns, err := rows.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			row := make([]any, len(columns))
			for i := range row {
				row[i] = new(any)
			}
			if err := rows.Scan(row...); err != nil {
				t.Fatal(err)
			}
			var line []string
			for _, v := range row {
				line = append(line, fmt.Sprint(*v.(*any)))
			}
			lines = append(lines, strings.Join(line, "|"))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return lines
	}
	for _, table := range list(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`) {
		if table != "apikeys" && table != "api_keys" { // their last use is written a little later
			all = append(all, table+": "+strings.Join(list(`SELECT * FROM "`+table+`"`), "\n"))
		}
	}
	prefix, _, _ := strings.Cut(w.keys.List(1), "list")
	keys, err := w.redis.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if strings.HasPrefix(key, prefix) {
			value, err := w.redis.Dump(t.Context(), key).Result()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, key+": "+strconv.Quote(value))
		}
	}
	return strings.Join(all, "\n")
}

func TestADryRunTellsWhoWouldGetANoticeAndTheyGetIt(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		carol, dave := w.userNamed(t, "carol"), w.userNamed(t, "dave")
		if err := w.store.PutPreferences(t.Context(), carol.Seq, notifier.PutPreferences{Mail: &notifier.When{}}); err != nil {
			t.Fatal(err)
		}
		pause := time.Now().Add(time.Hour)
		if err := w.store.PutPreferences(t.Context(), dave.Seq, notifier.PutPreferences{PausedUntil: &pause}); err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.store.AddDevice(t.Context(), notifier.NewDevice{Seq: dave.Seq, Endpoint: "https://push.example.com/1", Keys: bytes.Repeat([]byte{7}, 81), Label: "Firefox"}); err != nil {
			t.Fatal(err)
		}
		if err := w.store.SetMute(t.Context(), carol.Seq, "shift", true); err != nil {
			t.Fatal(err)
		}
		w.call(t, w.admin, "PUT", "/subscriptions", `{"role":"staff","type":"stock","scope":"b3"}`).is(t, http.StatusCreated)
		found := w.rehearse(t, w.send, `"target":{"role":"picker"},"toast":true`)
		if carols, daves := found.ways("carol"), found.ways("dave"); found.Asleep != 1 || carols != "[inbox toast mail] false" || daves != "[inbox toast push] true" {
			t.Errorf("%d are asleep, carol: %s, dave: %s", found.Asleep, carols, daves)
		}
		for fields, want := range map[string]string{
			`"target":{"role":"picker"}`:                              "carol dave",
			`"target":{"role":"picker"},"type":"shift"`:               "dave",
			`"target":{"roles":["staff","picker"]}`:                   "alice carol dave",
			`"target":{"users":["bob","alice"]}`:                      "alice bob",
			`"target":{"topic":{"type":"stock","scope":"b3"}}`:        "alice",
			`"target":{"topic":{"type":"stock","scope":"elsewhere"}}`: "",
		} {
			found := w.rehearse(t, w.send, fields)
			if got := strings.Join(found.names(), " "); got != want {
				t.Errorf("%s: %q, want %q", fields, got, want)
			}
			id := w.sends(t, fields)
			for _, user := range []string{"alice", "bob", "carol", "dave", "erin"} {
				testkit.Eventually(t, user+" gets it as foretold: "+fields, func() bool { return w.whyOf(t, id, user).Got == slices.Contains(found.names(), user) })
			}
		}
		found = w.rehearse(t, w.send, `"target":{"audiences":["user"]}`)
		if got := strings.Join(found.names(), " "); got != "alice bob carol dave" || found.Asleep != 1 || found.ways("dave") != "[announcement] true" {
			t.Errorf("an announcement is for %s: %+v", got, found)
		}
	})
}

func TestADryRunChangesNothingAndValidatesLikeSending(t *testing.T) {
	t.Parallel()
	w := newStillWorld(t, "", redistest.Client(t))
	front := w.front.APIKey
	w.call(t, front, "GET", "/notices", nil)
	before := w.contents(t)
	for _, yes := range []string{"1", "true"} {
		if text := w.call(t, w.send, "POST", "/notices?dry_run="+yes, `{"target":{"users":["bob"]},"type":"new","title":"Hello","toast":true}`, "Idempotency-Key", "k").is(t, http.StatusOK).text; strings.TrimSpace(text) != `{"people":[{"user":"bob","ways":["inbox","toast"],"asleep":false}],"asleep":0}` {
			t.Errorf("%s answers %s", yes, text)
		}
	}
	if found := w.rehearse(t, front, `"target":{"users":["bob","zoe"]}`); strings.Join(found.names(), " ") != "bob zoe" {
		t.Errorf("an app would reach %v", found.names())
	}
	for name, body := range map[string]string{
		"no title":        `{"target":{"users":["bob"]}}`,
		"nobody":          `{"target":{"users":["bob","nemo"]},"title":"Hello"}`,
		"no role":         `{"target":{"role":"nobody"},"title":"Hello"}`,
		"no target":       `{"target":{},"title":"Hello"}`,
		"a wrong link":    `{"target":{"users":["bob"]},"title":"Hello","link":"nowhere"}`,
		"a wrong time":    `{"target":{"users":["bob"]},"title":"Hello","expires_in":"soon"}`,
		"an unknown else": `{"target":{"users":["bob"]},"title":"Hello","take":{"within":"1h","else":{"role":"nobody"}}}`,
	} {
		dry := w.call(t, w.send, "POST", "/notices?dry_run=1", body).is(t, http.StatusUnprocessableEntity).faults(t)
		if sent := w.call(t, w.send, "POST", "/notices", body).is(t, http.StatusUnprocessableEntity).faults(t); len(dry) == 0 || !slices.Equal(dry, sent) {
			t.Errorf("%s: tried %v, sent %v", name, dry, sent)
		}
	}
	for _, bad := range []string{
		`{"target":{"users":["bob"," zoe"]},"title":"Hello"}`, `{"target":{"users":["zoe"]},"title":"Hello","take":{"within":"1h","else":{"role":"nobody"}}}`,
	} {
		w.call(t, front, "POST", "/notices?dry_run=1", bad).is(t, http.StatusUnprocessableEntity)
	}
	const one = `"target":{"users":["bob"]},"title":"Hello"`
	for path, body := range map[string]string{
		"/notices?dry_run=yes":        `{` + one + `}`,
		"/notices/batch?dry_run=1":    `{"notices":[{` + one + `}]}`,
		"/notices/batch?dry_run=nope": `{"notices":[{` + one + `}]}`,
		"/asks?dry_run=true":          `{` + one + `,"choices":[{"id":"a","label":"A"},{"id":"b","label":"B"}]}`,
	} {
		if faults := w.call(t, w.send, "POST", path, body).is(t, http.StatusUnprocessableEntity).faults(t); len(faults) != 1 || faults[0] != "query.dry_run" {
			t.Errorf("%s: %v", path, faults)
		}
	}
	if after := w.contents(t); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	w.call(t, w.send, "POST", "/notices?dry_run=0", `{`+one+`}`, "Idempotency-Key", "k").is(t, http.StatusAccepted)
	if w.contents(t) == before {
		t.Error("the comparison sees no notice")
	}
}
