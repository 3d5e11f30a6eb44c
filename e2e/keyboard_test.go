package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carillonhq/carillon/views/locale"
)

// tongue is a language and its source: the browser, or the user's setting in a browser that requests
// another language.
type tongue struct {
	lang    string
	setting bool
}

// Each of typed and plain contains every language. Together they cover every language from both sources.
var (
	typed = []tongue{{"en", false}, {"ja", true}, {"zh-Hans", false}, {"zh-Hant", true}}
	plain = []tongue{{"en", true}, {"ja", false}, {"zh-Hans", true}, {"zh-Hant", false}}
)

func (l tongue) String() string {
	if l.setting {
		return l.lang + "-by-setting"
	}
	return l.lang
}

// inEach runs a test in each of the languages. All share one site; each has its own user, with four
// unread notices.
func inEach(t *testing.T, tongues []tongue, test func(w *window, user string, text *locale.Printer, vera *person)) {
	t.Helper()
	texts, err := locale.New()
	if err != nil {
		t.Fatal(err)
	}
	s := alone(t)
	lines := []string{"vera staff"}
	for _, l := range tongues {
		lines = append(lines, "user-"+l.String()+" staff")
	}
	s.people(append(lines, crowded()...)...)
	i := s.serve()
	t.Run("in", func(t *testing.T) {
		for _, l := range tongues {
			t.Run(l.String(), func(t *testing.T) {
				t.Parallel()
				user, vera := "user-"+l.String(), i.person(t, "vera")
				w := open(t, i).size(1280, 900)
				asked := l.lang
				if l.setting {
					asked = map[string]string{"en": "ja", "ja": "zh-Hans", "zh-Hans": "zh-Hant", "zh-Hant": "en"}[l.lang]
					i.person(t, user).post("/settings", "locale", l.lang)
				}
				for _, n := range usual[:4] {
					vera.sends(user, n)
				}
				test(w.speak(asked), user, texts.For(l.lang, ""), vera)
			})
		}
	})
}

// tabs presses Tab (Shift+Tab with back), and checks that the focus is on a visible element.
func (w *window) tabs(back ...bool) *window {
	w.t.Helper()
	w.until(`document.readyState === "complete"`) // the browser sets the first focus of a page when it has loaded
	if len(back) > 0 {
		w.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers(kb.ModifierShift)))
	} else {
		w.types(kb.Tab)
	}
	return w.sees()
}

// sees checks that an element has the focus and shows it.
func (w *window) sees() *window {
	w.t.Helper()
	const shown = `(e => {
		if (e === document.body || e === document.documentElement) return "on no element";
		const around = e.matches("[type=radio]") ? e.closest("label") : e.closest(".toast-title")?.closest(".toast") ?? e;
		const style = getComputedStyle(around), box = around.getBoundingClientRect();
		const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
		if (!ring && !e.matches("main, h1, dialog")) return "not shown on " + e.outerHTML.slice(0, 120);
		if (box.width < 2 || box.bottom < 0 || box.top > innerHeight) return "out of sight on " + e.outerHTML.slice(0, 120);
		return "";
	})(document.activeElement)`
	w.until(`document.activeElement !== null`)
	if fault := ask[string](w, shown); fault != "" {
		w.fail("the focus is %s", fault)
	}
	return w
}

// named returns the role and the accessible name that the browser gives to screen readers for an
// element.
func (w *window) named(expression string) (role, name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	object, err := chromedp.Run(ctx, chromedp.Evaluate[*runtime.RemoteObject](expression))
	if err != nil {
		w.t.Fatalf("find %s: %v", expression, err)
	}
	tree, err := chromedp.Call(ctx, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{ObjectID: object.ObjectID})
	if err != nil || len(tree.Nodes) == 0 {
		w.t.Fatalf("read the accessible name of %s: %v", expression, err)
	}
	said := func(v *accessibility.Value) string {
		if v == nil {
			return ""
		}
		var text string
		if err := json.Unmarshal(v.Value, &text); err != nil {
			w.t.Errorf("%s: %v", v.Value, err)
		}
		return text
	}
	return said(tree.Nodes[0].Role), said(tree.Nodes[0].Name)
}

func (w *window) focusIsOn(name string) *window {
	w.t.Helper()
	if _, got := w.named(`document.activeElement`); got != name {
		w.fail("the focus is on %q, want %q", got, name)
	}
	return w.sees()
}

// tabsTo presses Tab until an element with this accessible name has the focus.
func (w *window) tabsTo(name string) *window {
	w.t.Helper()
	var passed []string
	for range 30 {
		_, got := w.tabs().named(`document.activeElement`)
		if got == name {
			return w
		}
		passed = append(passed, got)
	}
	w.fail("Tab goes to %q and never to %q", slices.Compact(passed), name)
	return w
}

// onRow waits until the focus is on the row with this title, or inside it.
func (w *window) onRow(title string) *window {
	w.t.Helper()
	return w.until(fmt.Sprintf(`document.activeElement.closest(".row")?.querySelector(":is(h2, h3) > [dir]").textContent === %q`, title)).sees()
}
