package e2e

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// drawn replaces the pictures of the rows, which the tests cannot load, by drawings.
const drawn = `document.querySelectorAll(".row img").forEach((img, i) => img.src = "data:image/svg+xml," + encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 9"><rect width="16" height="9" fill="' + ["teal", "orange", "slateblue"][i % 3] + '"/><circle cx="8" cy="4.5" r="3" fill="white"/></svg>'))`

func TestARowHasItsActorPictureAndButtons(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.flags = append(s.flags, "--image-hosts", "cdn.example.com")
	s.user("bob")
	i := s.serve()
	send := func(args ...string) { s.carillon("", append([]string{"send", "--to", "bob"}, args...)...) }
	send("--type", "review", "--title", "Ann asks you to review the plan of hall 3", "--body", "The doors have moved.", "--link", "/settings",
		"--actor", "Ann Bell", "--actor-id", "u7", "--actor-image", "https://eu.cdn.example.com/a.png",
		"--image", "https://cdn.example.com/plan.png", "--image-alt", "The plan of hall 3",
		"--action", "Review=/settings?tab=a,b", "--action", "Not now=/announcements", "--data", `{"pr": 7}`)
	send("--type", "comment", "--title", "عمر commented on your photo", "--actor", "عمر السيد", "--link", "/settings")
	send("--type", "order", "--title", "Order 1042 has left the warehouse", "--action", "Follow the parcel=/settings")
	send("--type", "report", "--title", "The report is ready")
	w := open(t, i)
	w.watchesThePolicy()
	w.as(i.person(t, "bob")).goTo("/inbox?filter=unread").until(live).keepsThePolicy()
	w.until(`document.querySelectorAll(".face > img").length === 0`) // its host does not exist here: the initials stay
	const row = `document.querySelector("[data-testid=entry][data-key^='review:']")`
	if got := ask[string](w, row+`.querySelector(".face").innerText.trim() + "|" + [...`+row+`.querySelectorAll("img")].map((i) => i.src + " " + i.alt + " " + i.referrerPolicy).join("|")`); got != "AB|https://cdn.example.com/plan.png The plan of hall 3 no-referrer" {
		t.Errorf("the row has %s", got)
	}
	// The box is there before the picture, and no button lies under anything.
	if got := ask[string](w, `(() => { const box = `+row+`.querySelector(".picture").getBoundingClientRect(); return box.width + "x" + box.height; })()`); got != "40x40" {
		t.Errorf("the picture has %s", got)
	}
	ask[any](w, "void "+drawn)
	axe, err := os.ReadFile("testdata/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	ask[any](w, string(axe)+";0")
	if found := ask[[]string](w, axeHere); len(found) > 0 {
		t.Errorf("axe objects to %v", found)
	}
	for _, width := range []int64{320, 1280} {
		w.size(width, 900).shot(fmt.Sprintf("extras-%d", width))
		covered := ask[[]string](w, `[...document.querySelectorAll(".calls a")].filter((a) => { a.scrollIntoView({block: "center"}); const r = a.getBoundingClientRect(); return document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2) !== a; }).map((a) => a.textContent)`)
		if len(covered) > 0 {
			t.Errorf("at %d px something covers %v", width, covered)
		}
	}
	w.badge("4").clickOn(`[data-testid=entry][data-key^="review:"] .calls a`)
	w.until(`location.pathname + location.search === "/settings?tab=a,b"`).badge("3")
	w.goTo("/inbox?filter=all").until(live)
	if state := ask[string](w, row+`.dataset.state`); state != "read" {
		t.Errorf("the row is %s after its button was followed", state)
	}
	w.clickOn("#bell").until(`document.querySelectorAll("#panel .row .face").length === 2 && document.querySelectorAll("#panel .calls a").length === 3`)
	w.size(1280, 900).shot("extras-panel")
	if got := ask[string](w, `[...document.querySelectorAll("#panel .calls a")].map((a) => a.textContent).join(", ")`); !strings.Contains(got, "Follow the parcel") {
		t.Errorf("the panel has %s", got)
	}
}
