package e2e

import "testing"

func TestAToastHasItsActorAndButtons(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("bob")
	i := s.serve()
	w := open(t, i).size(1280, 900).as(i.person(t, "bob")).visit("/settings").uses()
	s.carillon("", "send", "--to", "bob", "--toast", "--type", "review", "--title", "Ann asks you to review the plan of hall 3", "--body", "The doors have moved.",
		"--link", "/settings", "--actor", "Ann Bell", "--actor-id", "u7", "--action", "Review=/settings?tab=appearance", "--action", "Not now=/announcements")
	w.until(`document.querySelector("#popups .toast > .face")?.innerText.trim() === "AB" && document.querySelector("#popups .face .corner use")`)
	w.until(`document.querySelectorAll("#popups .calls a").length === 2`)
	w.shot("toast-extras")
	w.badge("1").clickOn(`#popups .calls a`)
	w.until(`location.pathname + location.search === "/settings?tab=appearance"`).badge("") // following a button reads the row
}
