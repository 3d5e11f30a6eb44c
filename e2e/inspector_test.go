package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pictured is true if pictures of the pages are wanted. They take more than a minute: `make gallery` enables them.
var pictured = flag.Bool("gallery", false, "write a picture of every page in every state under screenshots/")

// tallest is the height of a long page that a picture shows.
const tallest = 2200

// inspect checks views and leaves the pages as they were served under screenshots/DIR/html, and
// the pictures, if any are wanted, under screenshots/DIR.
func (g *gallery) inspect(t *testing.T, dir string, views ...view) {
	t.Helper()
	dir = filepath.Join("screenshots", dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "html"), 0o750); err != nil {
		t.Fatal(err)
	}
	w := open(t, g.instance)
	see := w.watched()
	see.also = g.serving
	in := &inspector{w: w, see: see, tools: inspection(t), found: map[string][]string{}, dir: dir}
	for _, v := range views {
		in.inspect(g, v)
	}
	for fault, where := range in.found {
		t.Errorf("%s\n\ton %d: %s", fault, len(where), strings.Join(where, ", "))
	}
}

// findings runs axe on the page and returns its findings, one per line. Of rows with the same markup axe sees one.
// For a badge above 99 axe expects "99+" in the bell's name, but the name contains the exact number, which is better.
const findings = `axe.run({include: document.documentElement, exclude: alike()}, {resultTypes: ["violations"], preload: false}).then(r =>
	r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary))
		.filter(f => !(/^label-content-name-mismatch: (#bell|carillon-bell,.bell):/.test(f) && every("#badge, .badge")[0].textContent === "99+")))`

// inspection returns the scripts that examine a page.
func inspection(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range []string{"axe.min.js", "look.js", "lines.js", "boxes.js", "alike.js"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteString("\n;")
	}
	return all.String()
}

// inspector checks one page after the other in one window.
type inspector struct {
	w     *window
	see   *witness
	tools string
	found map[string][]string // fault → places
	dir   string
}

// inspect opens a page on a desktop, brings it into its state, checks it there, and again as a phone. A theme changes
// colours and no box, which is also checked, so the layout of each width is measured in one theme. axe checks the
// page on the desktop in the light theme, and on the phone in the dark one.
func (in *inspector) inspect(g *gallery, v view) {
	w := in.w
	in.enter(g, v)
	in.served(v)
	w.do(chromedp.Evaluate[chromedp.Void](in.tools))
	in.layout(v, "light", 1280)
	in.axe(v, "light", 1280)
	in.darken(v)
	in.layout(v, "dark", 768)
	in.layout(v, "dark", 320)
	in.axe(v, "dark", 320)
	in.complain(v.name, in.see.complaints(v.status))
	in.complain(v.name+": as its script made it", faultsOf("<!DOCTYPE html>"+ask[string](w, `document.documentElement.outerHTML`)))
	ask[bool](w, `(sessionStorage.clear(), true)`) // drafts of this view do not appear in the next one
}

// darken switches from the light theme to the dark one, which must not move anything. A time or a preview may have
// changed meanwhile, so a page that seems to move is compared again.
func (in *inspector) darken(v view) {
	w := in.w
	var moved []string
	for range 3 {
		w.media("", "prefers-color-scheme", "light")
		in.settle()
		ask[bool](w, "remember()")
		w.media("", "prefers-color-scheme", "dark")
		in.settle()
		if moved = ask[[]string](w, "moved()"); len(moved) == 0 {
			break
		}
	}
	in.complain(v.name+": in the dark theme", moved)
	if *pictured {
		in.picture(v.name + "-dark-1280")
	}
}

// enter opens a page on a desktop as its user and brings it into its state.
func (in *inspector) enter(g *gallery, v view) {
	w := in.w.mouse().size(1280, 900).media("", "prefers-color-scheme", "light")
	w.do(chromedp.Navigate("about:blank")) // otherwise the last page might poll as another user
	if v.as == "alice" {
		w.as(nil).visit("/login")
		w.press(`[data-testid=demo]:has(input[value=alice]) button`)
	} else {
		w.as(g.people[v.as])
	}
	in.see.forget()
	w.visit(v.path)
	if v.then != nil {
		v.then(w)
	}
}

// layout measures the page at one width. The window of a phone has a touch screen and no mouse.
func (in *inspector) layout(v view, theme string, width int64) {
	name := fmt.Sprintf("%s-%s-%d", v.name, theme, width)
	phone := width < 600
	in.w.size(width, 900)
	if !ask[bool](in.w, fmt.Sprintf(`matchMedia("(hover: %s)").matches`, map[bool]string{true: "none", false: "hover"}[phone])) {
		in.w.fail("a window of %d px has not the pointer that it should have", width)
	}
	in.complain(name, ask[[]string](in.w, fmt.Sprintf("look(%t).concat(lines())", phone)))
	in.settle()
	if *pictured {
		in.picture(name)
	}
}

// axe runs axe on the current page.
func (in *inspector) axe(v view, theme string, width int64) {
	in.complain(fmt.Sprintf("%s-%s-%d: axe", v.name, theme, width), ask[[]string](in.w, findings))
}

func (in *inspector) complain(where string, faults []string) {
	for _, f := range faults {
		in.found[f] = append(in.found[f], where)
	}
}

// served checks the page as the server sent it, strictly.
func (in *inspector) served(v view) {
	in.w.t.Helper()
	in.see.mu.Lock()
	last := in.see.pages[len(in.see.pages)-1]
	in.see.mu.Unlock()
	ctx, cancel := context.WithTimeout(in.w.ctx, patience)
	defer cancel()
	got, err := chromedp.Call(ctx, network.GetResponseBody, network.GetResponseBodyParams{RequestID: last})
	if err != nil {
		in.w.t.Fatalf("%s: what the server sent: %v", v.name, err)
	}
	in.complain(v.name+": as it was served", faultsOf(string(got.Body)))
	if err := os.WriteFile(filepath.Join(in.dir, "html", v.name+".html"), got.Body, 0o644); err != nil {
		in.w.t.Error(err)
	}
}

// settle finishes transitions: axe would measure intermediate colours.
func (in *inspector) settle() {
	in.w.t.Helper()
	ask[bool](in.w, `(document.getAnimations().forEach(a => a.finish()), true)`)
}

func (in *inspector) picture(name string) {
	in.w.t.Helper()
	// Floating and sticky parts are placed in the window, so a page is one picture from its top.
	size := ask[[]float64](in.w, `(scrollTo(0, 0), [document.documentElement.clientWidth, document.documentElement.scrollHeight])`)
	ctx, cancel := context.WithTimeout(in.w.ctx, patience)
	defer cancel()
	png, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatPng, CaptureBeyondViewport: new(true), OptimizeForSpeed: new(true),
		Clip: &page.Viewport{Width: size[0], Height: min(size[1], tallest), Scale: 1},
	})
	if err != nil {
		in.w.t.Fatalf("picture %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(in.dir, name+".png"), png.Data, 0o644); err != nil {
		in.w.t.Error(err)
	}
}
