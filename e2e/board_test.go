package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"
)

// board returns the path of a new link to the board of a role.
func (s *site) board(role string, at *instance) string {
	s.t.Helper()
	return strings.TrimPrefix(strings.TrimSpace(s.carillon("", "board", "link", role, "--public-url", at.url)), at.url)
}

// A screen shows the tasks of a role, without a session. Nobody touches it while tasks are sent, taken, given back and done, and then its link is revoked.
func TestABoardFollowsTheTasksOfItsRoleUntilItsLinkIsRevoked(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("alice baker", "bob baker", "lea lead")
	i := s.serve()
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "ovens", "--scope", "send"))}
	send := func(role, title string) {
		host.call(http.MethodPost, "/notices", `{"target":{"role":"`+role+`"},"type":"oven","title":"`+title+`","take":{"within":"30m","else":{"role":"lead"}}}`)
	}
	path := s.board("baker", i)
	wall := open(t, i).size(1920, 1080).watchesThePolicy()
	wall.visit(path).has("h1", "Tasks of baker").has(".board-none", "Nobody waits").stays()
	wall.shot("board-empty")
	shows := func(state string, want ...string) {
		t.Helper()
		wall.until(`[...document.querySelectorAll("[data-testid=` + state + `] .board-what")].map(e => e.textContent).join("|") === "` + strings.Join(want, "|") + `"`)
	}
	look, err := os.ReadFile("testdata/look.js")
	if err != nil {
		t.Fatal(err)
	}
	const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
	send("lead", "Not of the bakers")
	send("baker", "The oven is cold")
	send("baker", "The oven is open")
	send("baker", long)
	shows("open", "The oven is cold", "The oven is open", long)
	alice := open(t, i).size(1280, 900).as(i.person(t, "alice"))
	alice.visit("/inbox").titles(long, "The oven is open", "The oven is cold").until(live2)
	alice.settles().clickOn(".row:last-child .question button").has("#done p", "It's yours.")
	shows("open", "The oven is open", long)
	shows("taken", "The oven is cold")
	wall.has("[data-testid=taken] .board-since", "alice, just now")
	for _, size := range []struct {
		name          string
		width, height int64
	}{{"wall", 1920, 1080}, {"4k", 3840, 2160}, {"portrait", 1080, 1920}, {"phone", 320, 640}} {
		wall.size(size.width, size.height)
		if faults := ask[[]string](wall, string(look)+`;look(false)`); len(faults) > 0 {
			t.Errorf("%s: %v", size.name, faults)
		}
		for _, theme := range []string{"light", "dark"} {
			wall.media("", "prefers-color-scheme", theme).shot("board-" + size.name + "-" + theme)
		}
	}
	wall.pleasesAxe("board")
	alice.clickOn(`form[action$="/inbox/give-back"] button`).has("#done p", "Given back.")
	shows("open", "The oven is cold", "The oven is open", long)
	shows("taken")
	wall.offline(true)
	wall.until(`!document.querySelector("#board-lost").hidden`).shot("board-lost")
	wall.offline(false)
	wall.until(`document.querySelector("#board-lost").hidden`).keepsThePolicy().same()
	s.carillon("", "board", "revoke", "baker")
	wall.until(`!document.querySelector("#board-gone").hidden && !document.querySelector("#board").childElementCount`).shot("board-gone")
	wall.visit(path).has("[data-testid=failure] .status", "404")
}

func TestABoardFollowsWithoutScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob baker")
	i := s.serve()
	w := open(t, i).withoutScript()
	w.visit(s.board("baker", i)).has(".board-none", "Nobody waits")
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "ovens", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"role":"baker"},"title":"The oven is cold","take":{}}`)
	w.has("[data-testid=open] .board-what", "The oven is cold")
}
