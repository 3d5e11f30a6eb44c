package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carillonhq/carillon/internal/testkit"
)

const sendButton = css(`#send button.primary:not([name])`)

// sender opens the staff form as a member of staff, and waits until its script has started.
func sender(t *testing.T, i *instance) *window {
	t.Helper()
	w := open(t, i).signIn("alice").goTo("/staff/send")
	w.do(chromedp.WaitVisible(css(`#to-entry`)))
	return w
}

// focused returns the id, name or text of the element that has the focus.
func (w *window) focused() string {
	w.t.Helper()
	return value[string](w, `(e => e.id || e.name || e.textContent.trim())(document.activeElement)`)
}

// tabTo presses Tab until an element has the focus.
func (w *window) tabTo(name string) {
	w.t.Helper()
	for range 40 {
		if w.focused() == name {
			return
		}
		w.do(chromedp.KeyEvent(kb.Tab))
	}
	w.t.Fatalf("Tab never reaches %q", name)
}

// arrived waits until the window shows the page of the sent notice.
func (w *window) arrived(title string) {
	w.t.Helper()
	w.do(chromedp.WaitVisible(css(`[data-testid=state]`)))
	w.shows(`h1`, title)
	if at := value[string](w, `location.pathname`); !strings.Contains(at, "/staff/notices/") {
		w.t.Errorf("sending led to %s", at)
	}
}

func TestTheFormHelpsWhileWritingAndSendsOnce(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("bob")
	s.user("carol")
	w := sender(t, s.serve())
	tools := inspection(t)
	accessible := func(when string) {
		w.do(chromedp.Evaluate[chromedp.Void](tools))
		for _, found := range value[[]string](w, findings) {
			t.Errorf("%s: %s", when, found)
		}
	}

	w.do(chromedp.SendKeys(css(`#to`), "bob, ca"))
	w.shows(`#to-names [role=option] span`, "carol")
	accessible("with names")
	w.shot("send-names")
	w.do(chromedp.KeyEvent(kb.Enter), chromedp.WaitNotVisible(css(`#to-names`)))
	if got := value[string](w, `document.getElementById("to").value`); got != "bob, carol" {
		t.Fatalf("after the choice the field has %q", got)
	}
	w.shows(`[data-testid=recipients]`, "2 people will get it.")
	button := value[float64](w, `document.querySelector("#send .buttons").getBoundingClientRect().top + scrollY`)
	w.do(chromedp.SendKeys(css(`#title`), "The kitchen closes at four"))
	w.shows(`#preview h3`, "The kitchen closes at four")
	if now := value[float64](w, `document.querySelector("#send .buttons").getBoundingClientRect().top + scrollY`); now != button {
		t.Errorf("the buttons moved from %v to %v when the preview appeared", button, now)
	}
	const look = `getComputedStyle(document.querySelector("#preview .look")).backgroundColor`
	for theme, colour := range map[string]string{"dark": "rgb(21, 19, 17)", "light": "rgb(250, 248, 245)"} {
		w.until(`(document.querySelector("[name=look][value=` + theme + `]").click(), ` + look + ` === "` + colour + `")`)
	}
	if got := w.focused(); got != "title" {
		t.Errorf("the preview moved the focus to %q", got)
	}
	if n := value[int](w, `document.querySelectorAll(".fault").length`); n != 0 {
		t.Errorf("%d faults are shown for fields that the sender has not reached", n)
	}

	w.do(chromedp.SendKeys(css(`#link`), "javascript:alert(1)"), chromedp.Focus(css(`#title`)))
	w.shows(`#link-fault`, "Enter a path that begins with / or an https address.")
	w.attribute(`#link`, "aria-invalid", "true")
	w.attribute(`#link`, "aria-describedby", "link-hint link-fault")
	accessible("with a fault")
	w.shot("send-fault")
	w.do(chromedp.Focus(css(`#link`)), chromedp.KeyEvent("a", chromedp.KeyModifiers(kb.ModifierCtrl)), chromedp.KeyEvent("/kitchen"),
		chromedp.WaitNotPresent(css(`#link-fault`)), chromedp.WaitVisible(css(`#preview a[href$="/kitchen"]`)))
	w.more().do(chromedp.SendKeys(css(`#type`), "kitchen"), chromedp.SetValue(css(`#expires_in`), "72h"))
	w.do(chromedp.DoubleClick(sendButton))
	w.arrived("The kitchen closes at four")
	w.goTo("/staff/notices")
	if n := value[int](w, `document.querySelectorAll("tbody tr").length`); n != 1 {
		t.Errorf("a double click sent %d notices", n)
	}
}

func TestAnUnknownNameIsReplacedByTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("alice staff", "bob", "carol")
	w := sender(t, s.serve())
	w.do(chromedp.SendKeys(css(`#to`), "bob; carrol"), chromedp.Focus(css(`#title`)))
	w.shows(`#to-fault`, "1 unknown user: carrol.")
	w.has(`#to-meant button`, "carol")
	w.do(chromedp.Evaluate[chromedp.Void](inspection(t)))
	for _, found := range value[[]string](w, findings) {
		t.Error(found)
	}
	w.shot("send-meant")
	w.clickOn(`#to-meant button`)
	w.until(`document.querySelector("#to").value === "bob, carol" && document.activeElement.id === "to-entry" && !document.querySelector("#to-fault")`)
	w.shows(`[data-testid=recipients]`, "2 people will get it.")
}

func TestANoticeIsSentByKeyboardAlone(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	s.user("carol")
	w := sender(t, s.serve())

	w.tabTo("target-user")
	w.tabTo("to-entry")
	w.do(chromedp.KeyEvent("ca"))
	w.shows(`#to-names [role=option][aria-selected=true] span`, "carol")
	w.do(chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible(css(`#to-names`)), chromedp.KeyEvent("r"))
	w.shows(`#to-names [role=option][aria-selected=true] span`, "carol")
	w.do(chromedp.KeyEvent(kb.Tab), chromedp.WaitNotVisible(css(`#to-names`)))
	w.shows(`[data-testid=recipients]`, "1 person will get it.")
	back := func(fields int) {
		for range fields {
			w.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift)))
		}
	}
	w.tabTo("title")
	w.do(chromedp.KeyEvent("By keys"))
	w.tabTo("link")
	w.do(chromedp.KeyEvent("//evil.example"))
	w.tabTo("type")
	w.shows(`#link-fault`, "Enter a path that begins with / or an https address.")
	back(1)
	w.do(chromedp.KeyEvent("/keys"), chromedp.WaitNotPresent(css(`#link-fault`)))
	w.tabTo("type")
	w.do(chromedp.KeyEvent("keys"))
	w.shows(`#preview h3`, "By keys")
	w.tabTo("Send to 1 person")
	w.do(chromedp.KeyEvent(kb.Enter))
	w.arrived("By keys")
}

func TestFaultsAreFocusedFirstAndManyRecipientsAreConfirmed(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.user("alice", "staff")
	crowd := filepath.Join(t.TempDir(), "crowd.csv")
	var lines strings.Builder
	lines.WriteString("name,roles\n")
	for n := range 1001 {
		fmt.Fprintf(&lines, "person%d,crowd\n", n)
	}
	if err := os.WriteFile(crowd, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s.carillon("", "user", "import", crowd)
	w := sender(t, s.serve())

	w.adds("crowd").has(`.token`, "crowd 1,001 people ×")
	w.shows(`[data-testid=recipients]`, "1,001 people will get it.")

	w.answered(sendButton)
	w.do(chromedp.WaitVisible(css(`[data-testid=faults]`)))
	testkit.Eventually(t, "the list of the faults has the focus", func() bool { return w.focused() == "faults" })
	w.do(chromedp.Click(css(`[data-testid=faults] a[href="#title"]`)))
	testkit.Eventually(t, "the link leads to its field", func() bool { return w.focused() == "title" })
	w.do(chromedp.KeyEvent("To all of you"), chromedp.WaitNotPresent(css(`#title-fault`)))
	w.answered(sendButton)
	w.shows(`#confirm p`, "This notification goes to 1,001 people.")
	testkit.Eventually(t, "the confirmation has the focus", func() bool { return w.focused() == "confirm" })
	w.shot("send-confirm")
	w.press(`#confirm button[name=confirm][value="1001"]`)
	w.arrived("To all of you")
}
