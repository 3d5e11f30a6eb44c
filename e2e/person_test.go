package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// window is a browser window. Each person has their own cookies.
type window struct {
	t   *testing.T
	ctx context.Context //nolint:containedctx // in chromedp the context is the handle of a window: every call on the window takes it
	url string

	close context.CancelFunc // nil for a person's first window, which closes with all others
}

// open opens a browser for one person, connected to one instance.
func open(t *testing.T, i *instance) *window {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t.Cleanup(cancel)
	// The first call creates the window, which closes with the context of that call.
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a window: %v", err)
	}
	w := &window{t: t, ctx: ctx, url: i.url}
	return w.size(1100, 800)
}

// withoutScript turns JavaScript off in this window until it closes.
func (w *window) withoutScript() *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetScriptExecutionDisabled,
		emulation.SetScriptExecutionDisabledParams{Value: true}); err != nil {
		w.t.Fatalf("turn JavaScript off: %v", err)
	}
	return w
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.shot("failed-" + strings.ReplaceAll(w.t.Name(), "/", "-"))
		w.t.Fatalf("in the browser: %v", err)
	}
}

func (w *window) goToSignIn() {
	w.t.Helper()
	w.do(chromedp.Navigate(w.url+"/login"), chromedp.WaitVisible(css(`input[name=username]`)))
}

// signIn goes through the sign-in page to the inbox.
func (w *window) signIn(name string) *window {
	w.t.Helper()
	w.goToSignIn()
	w.do(chromedp.SendKeys(css(`input[name=username]`), name),
		chromedp.SendKeys(css(`input[name=password]`), password+"\n"),
		chromedp.WaitVisible(css(`[data-testid=bell]`)))
	return w
}

// goTo opens a path and waits for the bell of the page.
func (w *window) goTo(path string) *window {
	w.t.Helper()
	w.do(chromedp.Navigate(w.url+path), chromedp.WaitVisible(css(`[data-testid=bell]`)))
	return w
}

// press clicks an element that leads to another page, and waits until that page is loaded.
func (w *window) press(sel css) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(sel)); err != nil {
		w.shot("failed-" + strings.ReplaceAll(w.t.Name(), "/", "-"))
		w.t.Fatalf("press %s: %v", sel, err)
	}
}

// badge waits until the badge shows want ("" if it is hidden). It reads the page through the
// DevTools protocol, so it works without JavaScript too.
func (w *window) badge(want string) *window {
	w.t.Helper()
	w.shows(`[data-testid=badge]`, want)
	return w
}

// connection waits until the page shows this state of its stream; "" if it is live.
func (w *window) connection(want string) {
	w.t.Helper()
	w.shows(`#connection`, want)
}

// shows waits until an element shows a text; "" if it is hidden.
func (w *window) shows(sel css, want string) {
	w.t.Helper()
	testkit.Until(w.withShot(), fmt.Sprintf("%s shows %q", sel, want), func() (string, bool) { got := w.shown(sel); return got, got == want })
}

func (w *window) shown(sel css) string {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		text, err := read(ctx, sel)
		if err == nil {
			return strings.TrimSpace(text)
		}
		// An element that is being replaced is there again at the next attempt.
		if ctx.Err() != nil || !strings.Contains(err.Error(), "No node with given id") {
			w.t.Fatalf("read %s: %v", sel, err)
		}
	}
}

// read returns the text of an element, or "" if it is hidden.
func read(ctx context.Context, sel css) (string, error) {
	attrs, err := chromedp.Run(ctx, chromedp.Attributes(sel))
	if err != nil {
		return "", err
	}
	if _, hidden := attrs["hidden"]; hidden {
		return "", nil
	}
	return chromedp.Run(ctx, chromedp.TextContent(sel))
}

// shot writes a screenshot of the window to screenshots/.
func (w *window) shot(name string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		w.t.Errorf("screenshot %s: %v", name, err)
		return
	}
	if err := os.WriteFile(filepath.Join("screenshots", name+".png"), png, 0o644); err != nil {
		w.t.Error(err)
	}
}

type css = chromedp.CSS

func entry(key string) css { return css(fmt.Sprintf(`[data-testid=entry][data-key=%q]`, key)) }

// attribute checks the value of one attribute of an element.
func (w *window) attribute(sel css, name, want string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	attrs, err := chromedp.Run(ctx, chromedp.Attributes(sel))
	if err != nil {
		w.t.Fatalf("read %s of %s: %v", name, sel, err)
	}
	if attrs[name] != want {
		w.t.Errorf("%s of %s is %q, want %q", name, sel, attrs[name], want)
	}
}
