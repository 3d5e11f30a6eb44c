package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// ask evaluates an expression in the page and awaits its result if that is a promise.
func ask[T any](w *window, js string) T {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		w.fail("ask %s: %v", js, err)
	}
	return v
}

// until waits until an expression is true. If the page is replaced meanwhile, it evaluates in the new page.
func (w *window) until(js string) *window {
	w.t.Helper()
	testkit.Until(w.withShot(), js, func() (fault string, ok bool) {
		ctx, cancel := context.WithTimeout(w.ctx, patience)
		defer cancel()
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("Boolean("+js+")"))
		if err != nil {
			fault = err.Error()
		}
		return fault, ok && err == nil
	})
	return w
}

// passes waits until a timer of the page, set now, fires. Timers set before and due sooner have then fired, however
// slow the machine is.
func (w *window) passes(d time.Duration) *window {
	w.t.Helper()
	ask[any](w, fmt.Sprintf(`new Promise(done => setTimeout(done, %d))`, d.Milliseconds()))
	return w
}

// withShot is the test of a window; its failure takes a screenshot.
type withShot struct {
	*testing.T
	w *window
}

func (w *window) withShot() withShot { return withShot{w.t, w} }

func (s withShot) Fatalf(format string, args ...any) { s.Helper(); s.w.fail(format, args...) }

// fail ends the test with a screenshot of the page.
func (w *window) fail(format string, args ...any) {
	w.t.Helper()
	w.shot("failed-" + strings.ReplaceAll(w.t.Name(), "/", "-"))
	w.t.Fatalf(format, args...)
}

// visit opens a path and waits until the page and all its files are loaded; by then its script has
// run.
func (w *window) visit(path string) *window {
	w.t.Helper()
	w.do(chromedp.Navigate(w.url + path))
	return w
}

// size sets the size of the window. A window narrower than a tablet becomes a phone with a touch screen. It stays one
// until mouse is called, because turning touch off also removes the mouse (as chromedp.EmulateViewport does) until
// the next page.
func (w *window) size(width, height int64) *window {
	w.t.Helper()
	w.scaled(width, height, 1, width < 600)
	return w
}

// mouse removes the touch screen. The next page that the window opens has a mouse again.
func (w *window) mouse() *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{}); err != nil {
		w.t.Fatalf("take the touch screen away: %v", err)
	}
	return w
}

func (w *window) scaled(width, height int64, scale float64, phone bool) {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: width, Height: height, DeviceScaleFactor: scale, Mobile: phone,
	})
	if err == nil && phone {
		_, err = chromedp.Call(w.ctx, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true})
	}
	if err != nil {
		w.t.Fatalf("size %d by %d: %v", width, height, err)
	}
}

// media emulates a medium ("print"; "" is the screen) with features, as names and values in turn: "forced-colors",
// "active".
func (w *window) media(medium string, features ...string) *window {
	w.t.Helper()
	p := emulation.SetEmulatedMediaParams{Media: medium}
	for i := 0; i+1 < len(features); i += 2 {
		p.Features = append(p.Features, &emulation.MediaFeature{Name: features[i], Value: features[i+1]})
	}
	if _, err := chromedp.Call(w.ctx, emulation.SetEmulatedMedia, p); err != nil {
		w.t.Fatalf("emulate %s %v: %v", medium, features, err)
	}
	return w
}

// speak sets the browser's preferred language.
func (w *window) speak(lang string) *window {
	w.t.Helper()
	agent := ask[string](w, "navigator.userAgent")
	if _, err := chromedp.Call(w.ctx, emulation.SetUserAgentOverride,
		emulation.SetUserAgentOverrideParams{UserAgent: agent, AcceptLanguage: lang}); err != nil {
		w.t.Fatalf("set the language to %s: %v", lang, err)
	}
	return w
}

// as gives the window the session of a signed-in person; nil signs it out.
func (w *window) as(p *person) *window {
	w.t.Helper()
	if _, err := chromedp.Call(w.ctx, network.ClearBrowserCookies, struct{}{}); err != nil {
		w.t.Fatal(err)
	}
	if p == nil {
		return w
	}
	for _, c := range p.jar.Cookies(p.base.JoinPath("/")) {
		if _, err := chromedp.Call(w.ctx, network.SetCookie, network.SetCookieParams{
			Name: c.Name, Value: c.Value, URL: w.url + "/",
		}); err != nil {
			w.t.Fatalf("set the cookie of %s: %v", p.name, err)
		}
	}
	return w
}

// types sends keystrokes to the element that has the focus.
func (w *window) types(keys string) *window {
	w.t.Helper()
	w.do(chromedp.KeyEvent(keys))
	return w
}

// textOf returns an expression for the text of the first element of a selector.
func textOf(sel string) string {
	return fmt.Sprintf("(document.querySelector(%q)?.textContent ?? '').trim()", sel)
}
