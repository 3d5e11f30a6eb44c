package e2e

import (
	"database/sql"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// redisOf returns the built-in Redis of an instance, which is a child of its process.
func (i *instance) redisOf(t *testing.T) *os.Process {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", i.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range lists {
		text, _ := os.ReadFile(list) // the thread may have ended
		for word := range strings.FieldsSeq(string(text)) {
			pid, _ := strconv.Atoi(word)
			if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); strings.TrimSpace(string(name)) == "redis-server" {
				return &os.Process{Pid: pid}
			}
		}
	}
	t.Fatal("the instance has no redis-server")
	return nil
}

// stopRedis suspends the built-in Redis until goOn is called or the test ends.
func (i *instance) stopRedis(t *testing.T) (goOn func()) {
	t.Helper()
	pid := i.redisOf(t).Pid
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	goOn = func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	t.Cleanup(goOn)
	i.ready(t, "degraded")
	return goOn
}

// ready waits until /readyz of the instance returns want.
func (i *instance) ready(t *testing.T, want string) {
	t.Helper()
	testkit.Eventually(t, "readiness is "+want, func() bool {
		resp, err := http.Get(i.url + "/readyz")
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		state, _, _ := strings.Cut(string(text), "\n")
		return state == want
	})
}

// database opens the SQLite database of a single-machine site.
func (s *site) database(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.flags[1], "carillon.db")+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// stored waits until a user has this number of unread entries in SQL.
func stored(t *testing.T, db *sql.DB, name string, unread int) {
	t.Helper()
	testkit.Eventually(t, fmt.Sprintf("%d unread of %s are in sql", unread, name), func() bool {
		var n int
		err := db.QueryRow(`SELECT s.unread FROM inbox_snapshots s JOIN users u ON u.seq = s.seq WHERE u.name = '` + name + `'`).Scan(&n)
		return err == nil && n == unread
	})
}

func TestWithoutRedisUsersReadAndPagesCatchUpWhenItIsBack(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	db := s.database(t)
	vera := i.person(t, "vera")
	id := vera.announces("user", "The counter closes at four", "body", "From Monday on.", "pinned", "1")
	for _, n := range usualNotices(33) {
		vera.sends("bob", n)
	}
	stored(t, db, "bob", 33)
	reading := open(t, i).as(i.person(t, "bob")).goTo("/inbox?filter=unread")
	plain := open(t, i).as(i.person(t, "bob")).withoutScript().goTo("/inbox?filter=unread")
	reading.badge("34")

	goOn := i.stopRedis(t)
	reading.connection("Reconnecting…")
	reading.clickOn(`.row [action$="/inbox/read"] button`).until(textOf("#done p") + ` === "Not available right now. Nothing was changed. Try again in a moment."`)
	reading.badge("34")
	plain.press(`.row [action$="/inbox/read"] button`)
	plain.shows(`h1`, "Not available right now")
	plain.shot("away-not-possible")

	bob := open(t, i).as(i.person(t, "bob")).goTo("/inbox")
	bob.warned("Reconnecting. Showing your inbox as of")
	bob.badge("34")
	bob.shot("away-inbox")
	bob.until(`document.querySelectorAll("main form").length === 0 && document.querySelectorAll("[data-testid=entry]").length === 30`)
	bob.connection("Reconnecting…")
	at := vera.leads("/staff/send", "target", "user", "to", "bob", "type", "like", "title", "Sent while it was away", "body", "x")
	if _, page := vera.get(at); !strings.Contains(page, "the notification will be delivered as soon as Redis is back") {
		t.Error("the page does not show the sender that the notice will be delivered later")
	}
	posts := open(t, i).as(i.person(t, "bob")).goTo("/announcements/" + id)
	posts.warned("Reconnecting. Showing the announcement as of")
	posts.goTo("/announcements").warned("Reconnecting. Showing the announcements as of")

	goOn()
	for _, w := range []*window{reading, bob} {
		w.connection("")
		w.badge("35")
	}
	bob.until(`document.querySelector("#inbox .banner.info")?.textContent.trim() === "Back to normal. You're seeing the latest."`)
	bob.until(`document.querySelectorAll("[data-testid=entry] form").length > 0`)
	bob.shot("away-back")
	posts.until(`document.querySelector("#announcements .banner.info") && document.querySelector("#announcements [data-act=read]")`)
	plain.press(`[data-testid=retry] button`)
	plain.shows(`[data-testid=done] p`, "Marked as read.")
	reading.badge("34")
}

func TestAKilledBuiltInRedisIsRestartedByTheServer(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	vera := i.person(t, "vera")
	vera.sends("bob", usual[0])
	bob := open(t, i).as(i.person(t, "bob")).goTo("/inbox?filter=unread").badge("1")
	for n := range 3 {
		if err := i.redisOf(t).Kill(); err != nil {
			t.Fatal(err)
		}
		vera.sends("bob", usual[n+1])
		bob.badge(strconv.Itoa(n + 2))
		bob.connection("")
		i.ready(t, "ok")
	}
	bob.until(`document.querySelector("#stale") === null`)
}

// TestEveryPageOfARedisThatIsAwayIsSound checks the pages without Redis as the gallery checks all others.
func TestEveryPageOfARedisThatIsAwayIsSound(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("vera staff", "bob")
	i := s.serve()
	db := s.database(t)
	g := &gallery{instance: i, people: map[string]*person{}}
	for _, name := range []string{"vera", "bob"} {
		g.people[name] = i.person(t, name)
	}
	vera := g.people["vera"]
	post := vera.announces("user", "The counter in hall 3 closes at four", "body", richText, "pinned", "1", "link", "/orders")
	vera.announces("user", "The night shift begins at ten", "body", "From Monday on.")
	for _, n := range append(usualNotices(36), hard()...) {
		vera.sends("bob", n)
	}
	stored(t, db, "bob", 36+len(hard()))
	for n, reason := range []string{"WRONGTYPE Operation against a key holding the wrong kind of value", "read the snapshot of user 4711: a row of fewer than four words; " + strings.Repeat("and so on; ", 60)} {
		if _, err := db.Exec(`INSERT INTO dead_letters (notice_id, entry, reason, tries, created_at) VALUES (` +
			strconv.Itoa(3-3*n) + `, '{"notice":3,"from":4711}', '` + reason + `', 5, ` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `)`); err != nil {
			t.Fatal(err)
		}
	}
	i.stopRedis(t)
	waiting := vera.leads("/staff/send", "target", "user", "to", "bob", "type", "like", "title", "Sent while it was away", "body", "x")
	g.inspect(t, "away", []view{
		{name: "inbox", as: "bob", path: "/inbox", then: reconnecting},
		{name: "inbox-unread", as: "bob", path: "/inbox?filter=unread"},
		{name: "inbox-older", as: "bob", path: "/inbox", then: func(w *window) { w.follow(`a[rel=next]`) }},
		{name: "panel", as: "bob", path: "/settings", then: openPanel},
		{name: "announcements", as: "bob", path: "/announcements"},
		{name: "announcement", as: "bob", path: "/announcements/" + post},
		{name: "not-possible", as: "bob", path: "/inbox", status: 503, then: func(w *window) {
			w.do(chromedp.Evaluate[chromedp.Void](`document.body.insertAdjacentHTML("beforeend",
				'<form id="sent" method="post" action="inbox/read"><input name="key" value="a:b"><button>Send</button></form>')`))
			w.press(`#sent button`)
		}},
		{name: "notice-waiting", as: "vera", path: waiting},
		{name: "dead-letters", as: "vera", path: "/staff/deadletters"},
		{name: "dead-letters-open", as: "vera", path: "/staff/deadletters", then: func(w *window) {
			w.do(chromedp.Evaluate[chromedp.Void](`document.querySelectorAll(".letters details").forEach(d => (d.open = true))`))
		}},
		{name: "notice-dead", as: "vera", path: "/staff/notices/3"},
	}...)
}

// warned waits until the page shows a warning, beginning with this text, that its data is from SQL.
func (w *window) warned(begins string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`%s.startsWith(%q)`, textOf("[data-testid=stale]"), begins))
}

func reconnecting(w *window) {
	w.t.Helper()
	w.connection("Reconnecting…")
}
