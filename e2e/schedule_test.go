package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// sendsAt fills in the time at which a notice is to be sent; the zero time empties the field.
func (w *window) sendsAt(when time.Time) {
	w.t.Helper()
	value := ""
	if !when.IsZero() {
		value = when.Format("2006-01-02T15:04")
	}
	ask[bool](w, fmt.Sprintf(`(field => {
		field.focus();
		field.value = %q;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		return true;
	})(document.querySelector("#send_at"))`, value))
}

// schedules fills in the form and sends it.
func (w *window) schedules(title string, when time.Time) {
	w.t.Helper()
	w.goTo("/staff/send").do(chromedp.WaitVisible(css(`#to-entry`)))
	w.more().do(chromedp.SendKeys(css(`#to`), "bob"), chromedp.SendKeys(css(`#type`), "kitchen"), chromedp.SendKeys(css(`#title`), title))
	w.sendsAt(when)
	w.do(chromedp.WaitVisible(css(`#preview [data-testid=schedule]`)))
	w.shot("send-scheduled")
	w.press(sendButton)
	w.arrived(title)
	w.shows(`[data-testid=state]`, "Scheduled")
}

func TestANoticeIsScheduledEditedAndCancelled(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	i := s.serve()
	w, bob := sender(t, i), open(t, i).signIn("bob")
	tomorrow := time.Now().Add(24 * time.Hour)

	w.schedules("The kitchen is closed tomorrow", tomorrow)
	w.shot("notice-scheduled")
	w.clickOn(`[data-testid=notice-menu] > summary`).clickOn(`[data-testid=retract] summary`).press(`[data-testid=retract] button`)
	w.shows(`[data-testid=state]`, "Retracted")

	w.schedules("The kitchen opens late", tomorrow)
	w.press(`[data-testid=edit]`)
	w.until(fmt.Sprintf(`document.querySelector("#send_at").value === %q`, tomorrow.Format("2006-01-02T15:04")))
	w.sendsAt(time.Now().Add(-24 * time.Hour))
	w.clickOn(`#send button.primary`)
	w.shows(`#send_at-fault`, "This time has already passed.")
	w.shot("edit-scheduled-fault")
	w.sendsAt(time.Time{}) // now
	w.press(`#send button.primary`)
	w.shows(`[data-testid=state]`, "Sent")
	bob.badge("1")
	bob.goTo("/inbox").titles("The kitchen opens late")
}
