package e2e

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

func TestBackRestoresTheFormTypedBeforeTheSessionEnded(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w := sender(t, i)
	other := w.tab().goTo("/settings?tab=account")
	w.do(chromedp.SendKeys(css(`#to`), "bob"), chromedp.SendKeys(css(`#title`), "Not to be lost"),
		chromedp.SendKeys(css(`#body`), "One\nTwo"))
	other.press(`main form[action$='/logout'] button`)
	w.press(submitSend)
	w.do(chromedp.WaitVisible(css(`input[name=username]`)))

	w.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	w.until(`document.querySelector("#title") !== null`)
	testkit.Eventually(t, "the form has the typed text", func() bool {
		return value[string](w, `[document.querySelector("#to").value, document.querySelector("#title").value, document.querySelector("#body").value].join("|")`) ==
			"bob|Not to be lost|One\nTwo"
	})
}

func TestBackAndSendAgainSendsOnlyAChangedNotice(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	w := sender(t, s.serve())
	path := func() string { return value[string](w, `location.pathname`) }
	// In a page restored from the history, only scripts can find elements.
	sendsAgain := func(title string) string {
		w.back()
		w.until(`document.querySelector("#to-entry") !== null && document.querySelector("#body").value === "One"`)
		w.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector("#title").value = %q; document.querySelector(%q).click()`,
			title, submitSend)))
		w.until(`document.querySelector("[data-testid=state]") !== null`)
		return path()
	}
	w.fillSend("bob", notice{title: "Once is enough", typ: "news", body: "One"})
	w.press(submitSend)
	w.arrived("Once is enough")
	first := path()
	if again := sendsAgain("Once is enough"); again != first {
		t.Errorf("sending again led to %s, the first time to %s", again, first)
	}
	if other := sendsAgain("Something else"); other == first {
		t.Error("with another title, sending again returned the first notice")
	}
	w.goTo("/staff/notices")
	if n := value[int](w, `document.querySelectorAll("tbody tr").length`); n != 2 {
		t.Errorf("%d notices were sent, want 2", n)
	}
}
