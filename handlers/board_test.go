package handlers_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

var baker = notifier.Target{Role: "baker"}

// boardWorld returns a world in which alice and carol are bakers, and the link to their board.
func boardWorld(t *testing.T) (w *world, link string) {
	t.Helper()
	w = newWorld(t, nil)
	w.haveMembers("baker", "alice", "carol")
	w.haveMembers("lead", "bob")
	return w, w.boardOf("baker")
}

// boardOf gives the board of a role a new link.
func (w *world) boardOf(role string) string {
	w.t.Helper()
	token, _, err := w.db.LinkBoard(w.t.Context(), byStaff, role)
	if err != nil {
		w.t.Fatal(err)
	}
	return "/board/" + role + "/" + token
}

// deed has alice do something with a task.
func (w *world) deed(deed notifier.TaskDeed, id int64) {
	w.t.Helper()
	if _, err := w.db.DoTask(w.t.Context(), byStaff, notifier.Taking{Notice: id, User: w.user(alice.Seq), Deed: deed}); err != nil {
		w.t.Fatal(err)
	}
}

func TestABoardShowsTheTasksOfItsRoleOldestFirst(t *testing.T) {
	t.Parallel()
	w, link := boardWorld(t)
	w.get("", link).wantStatus(t, http.StatusOK).wantText(t, ".board-none", "Nobody waits")
	w.called("alice", "Alice <A>")
	hot := w.taskOf(baker, "The oven is hot", notifier.TakeRule{})
	w.taskOf(baker, "The <b>oven</b> is cold", notifier.TakeRule{Within: 3 * time.Hour})
	w.taskOf(notifier.Target{Roles: []string{"lead", "baker"}}, "The oven is open", notifier.TakeRule{})
	w.taskOf(notifier.Target{Role: "lead"}, "Not of the bakers", notifier.TakeRule{})
	w.taskOf(notifier.Target{Users: []string{"baker"}}, "Of somebody called baker", notifier.TakeRule{})
	w.deed(notifier.DeedTake, hot)
	w.now.Store(int64(200 * time.Minute))
	r := w.get("", link).wantStatus(t, http.StatusOK)
	r.wantText(t, "[data-testid=open]", "The <b>oven</b> is cold For 3 hours Nobody took it in timeThe oven is open For 3 hours")
	r.wantText(t, "[data-testid=taken]", "The oven is hot Alice <A>, for 3 hours")
	if r.count("a, form, button") != 0 || len(r.Cookies()) > 0 {
		t.Errorf("a board leads elsewhere, or sets cookies: %s", r.body)
	}
	for name, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Robots-Tag": "noindex"} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s is %q; want %q", name, got, want)
		}
	}
	token := link[strings.LastIndex(link, "/")+1:]
	if strings.Contains(r.body, token) {
		t.Error("the page contains the token")
	}
	w.get("", link, "Accept-Language", "ja").wantStatus(t, http.StatusOK).wantText(t, "#board-taken", "対応中")
	w.do(httptest.NewRequest(http.MethodPost, link, nil), "").wantStatus(t, http.StatusMethodNotAllowed)
}

func TestABoardChangesWithItsTasksAndIsNotSentAgainUntilThen(t *testing.T) {
	t.Parallel()
	w, link := boardWorld(t)
	tag := ""
	look := func(changed bool, open, taken int) {
		t.Helper()
		w.get("", link, "If-None-Match", tag).wantStatus(t, map[bool]int{true: http.StatusOK, false: http.StatusNotModified}[changed])
		r := w.get("", link).wantStatus(t, http.StatusOK)
		if tag = r.Header.Get("Etag"); r.count("[data-testid=open]") != open || r.count("[data-testid=taken]") != taken {
			t.Errorf("%d open, %d taken; want %d, %d", r.count("[data-testid=open]"), r.count("[data-testid=taken]"), open, taken)
		}
		w.get("", link, "If-None-Match", tag).wantStatus(t, http.StatusNotModified)
	}
	look(true, 0, 0)
	id := w.taskOf(baker, "The oven is cold", notifier.TakeRule{})
	look(true, 1, 0)
	w.deed(notifier.DeedTake, id)
	look(true, 0, 1)
	w.deed(notifier.DeedGiveBack, id)
	look(true, 1, 0)
	w.deed(notifier.DeedTake, id)
	look(true, 0, 1)
	w.now.Store(int64(time.Minute))
	look(true, 0, 1)
	w.deed(notifier.DeedDone, id)
	look(true, 0, 0)
	w.taskOf(notifier.Target{Role: "lead"}, "Not of the bakers", notifier.TakeRule{})
	look(false, 0, 0)
}

func TestTheLinkOfABoardOpensNothingElseAndEndsWhenItIsReplacedOrRevoked(t *testing.T) {
	t.Parallel()
	w, link := boardWorld(t)
	token := link[strings.LastIndex(link, "/")+1:]
	missing := func(path string) {
		t.Helper()
		w.get("carol", path).wantStatus(t, http.StatusNotFound) // staff need the link, too
	}
	for _, path := range []string{"/board/lead/" + token, "/board/nobody/" + token, "/board/baker/" + token + "x", "/board/baker/", "/board/baker", "/board/"} {
		missing(path)
	}
	again := w.boardOf("baker")
	missing(link)
	w.get("", again).wantStatus(t, http.StatusOK)
	if err := w.db.RevokeBoard(t.Context(), byStaff, "baker"); err != nil {
		t.Fatal(err)
	}
	missing(again)
	if r := w.get("", again); r.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Error("the page about a revoked link passes it on")
	}
}

func TestGuessingTheLinkOfABoardIsLimitedAndNeverLogged(t *testing.T) {
	t.Parallel()
	w, link := boardWorld(t)
	var last int
	for range 21 {
		last = w.get("", "/board/baker/guess").StatusCode
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the last guess: %d", last)
	}
	w.get("", link).wantStatus(t, http.StatusOK)
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	if r := w.get("", link); r.StatusCode < http.StatusInternalServerError {
		t.Errorf("without SQL: %d", r.StatusCode)
	}
	log := w.log.String()
	if token := link[strings.LastIndex(link, "/")+1:]; strings.Contains(log, token) || strings.Contains(log, "guess") {
		t.Errorf("the log has a token:\n%s", log)
	}
	if !strings.Contains(log, `"request failed" path=/board/{role}/{token}`) {
		t.Errorf("the log does not have the failure:\n%s", log)
	}
}
