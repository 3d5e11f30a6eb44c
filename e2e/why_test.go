package e2e

import (
	"net/http"
	"strings"
	"testing"
)

// Staff ask on the page of a notice why somebody does not have it, on another instance than the one that accepted it. The answer is
// below the question, on the widest and the narrowest page.
func TestStaffFindOutWhySomebodyDidNotGetANotice(t *testing.T) {
	t.Parallel()
	s := many(t)
	s.people("alice", "bob", "vera staff")
	one, two := s.serve(), s.serve()
	host := &application{t, one.url, strings.TrimSpace(s.carillon("", "key", "add", "shop", "--scope", "send"))}
	host.call(http.MethodPost, "/notices", `{"target":{"users":["alice"]},"title":"The weekly report"}`)
	vera := open(t, two).size(1280, 900).as(two.person(t, "vera"))
	vera.visit("/staff/notices/1").clickOn("#why summary").clickOn("#why input").types("bob").clickOn("#why button")
	const below = `(() => {
		const [button, asked, answer] = ["#why summary", "#why form", "#why [role=status]"].map((e) => document.querySelector(e)?.getBoundingClientRect());
		return answer?.height > 0 && asked.top >= button.bottom && asked.top - button.bottom < 60 && answer.top >= asked.bottom && answer.left >= 0 && answer.right <= innerWidth;
	})()`
	vera.has("#why [role=status]", "bob did not get it: it names other users.").until(below).settles().shot("notice-why")
	vera.size(320, 800).until(below).settles().shot("notice-why-narrow")
}
