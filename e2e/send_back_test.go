package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestBackBringsWhatWasTypedBeforeTheSessionEnded(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w := sender(t, i)
	other := w.tab().goTo("/settings")
	w.do(chromedp.SendKeys(css(`#to`), "bob"), chromedp.SendKeys(css(`#title`), "Not to be lost"),
		chromedp.SendKeys(css(`#body`), "One\nTwo"))
	other.press(`main form[action='/logout'] button`)
	w.press(submitSend)
	w.do(chromedp.WaitVisible(css(`input[name=username]`)))

	w.do(chromedp.Evaluate[chromedp.Void](`history.back()`))
	w.until(`document.querySelector("#title") !== null`)
	wait(t, "what was typed", func() bool {
		return value[string](w, `[document.querySelector("#to").value, document.querySelector("#title").value, document.querySelector("#body").value].join("|")`) ==
			"bob|Not to be lost|One\nTwo"
	})
}
