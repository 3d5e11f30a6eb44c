package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

func TestPasswordsChangeAndSessionsEndByKeyboardAndWithoutJavaScript(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("keys", "plain")
	i := s.serve()

	w := open(t, i).size(1280, 900).as(i.person(t, "keys"))
	other := i.person(t, "keys")
	w.visit("/settings?tab=account").until(live2)
	w.do(focusOn("#current"))
	w.types("wrong").tabs().types("another good password").types(kb.Enter)
	w.until(`document.activeElement.matches("body, #current") && document.querySelector("#current-fault")`)
	w.do(focusOn("#current"))
	w.types(password).tabs().types("another good password").tabs().focusIsOn("Change password").types(kb.Enter)
	w.at("/settings?done=password-changed&tab=account")
	if status, _ := other.get("/inbox"); status != 303 {
		t.Errorf("the other session continues: status %d", status)
	}
	other = i.personBy(t, "keys", "another good password")
	w.visit("/settings?tab=account").until(live2)
	w.do(focusOn("[data-testid=sessions] li button"))
	w.sees().types(kb.Enter).at("/settings?done=session-ended&tab=account")
	if status, _ := other.get("/inbox"); status != 303 {
		t.Errorf("the other session continues: status %d", status)
	}

	w = open(t, i).withoutScript().as(i.person(t, "plain"))
	other = i.person(t, "plain")
	w.visit("/settings?tab=account").press("[data-testid=sessions] li button")
	w.at("/settings?done=session-ended&tab=account")
	w.fill("current", password)
	w.fill("password", "another good password")
	w.press("#password-form button")
	w.at("/settings?done=password-changed&tab=account")
	if status, _ := other.get("/inbox"); status != 303 {
		t.Errorf("the other session continues: status %d", status)
	}
	i.personBy(t, "plain", "another good password")
}
