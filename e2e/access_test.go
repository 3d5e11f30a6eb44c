package e2e

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// findings runs axe on the page and returns what it objects to, a line each.
const findings = `axe.run(document, {resultTypes: ["violations"]}).then(r =>
	r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary)))`

func TestAxeFindsNothingOnAnyPageInEitherTheme(t *testing.T) {
	t.Parallel()
	axe, err := os.ReadFile("testdata/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	w := open(t, i)
	for _, theme := range []string{"light", "dark"} {
		w.theme(theme)
		w.goToSignIn()
		w.accessible(string(axe), "/login", theme)
		w.press(`[data-testid=demo]:has(input[value=alice]) button`)
		w.send("bob", "reminder", "kitchen", "The kitchen closes at four")
		for _, path := range []string{
			"/inbox", "/inbox?filter=unread", "/staff/send", "/staff/notices", "/staff/notices/1", "/staff/users", "/settings", "/nowhere",
		} {
			w.goTo(path)
			w.accessible(string(axe), path, theme)
		}
		w.goTo("/staff/send")
		w.press(`form[action="/staff/send"] button[value="1"]`)
		w.do(chromedp.WaitVisible(css(`[data-testid=faults]`)))
		w.accessible(string(axe), "/staff/send with faults", theme)
		w.shot("faults-" + theme)
		w.goTo("/settings")
		w.press(`main form[action="/logout"] button`)
	}
}

func (w *window) theme(name string) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	})
	if err != nil {
		w.t.Fatalf("theme %s: %v", name, err)
	}
}

func (w *window) accessible(axe, page, theme string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, chromedp.Evaluate[chromedp.Void](axe)); err != nil {
		w.t.Fatalf("load axe into %s: %v", page, err)
	}
	found, err := chromedp.Run(ctx, chromedp.Evaluate[[]string](findings, chromedp.EvalAwaitPromise))
	if err != nil {
		w.t.Fatalf("run axe on %s: %v", page, err)
	}
	if len(found) > 0 {
		w.t.Errorf("%s, %s:\n%s", page, theme, strings.Join(found, "\n"))
	}
}
