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

// pictured says that somebody wants to see the pages. Their pictures take a minute and
// more: `make gallery` asks for them.
var pictured = flag.Bool("gallery", false, "write a picture of every page in every state under screenshots/")

// tallest is how much of a long page a picture shows.
const tallest = 2200

// inspect looks at views in guises, and leaves what was served under
// screenshots/DIR/html and the pictures, if any are wanted, under screenshots/DIR.
func (g *gallery) inspect(t *testing.T, dir string, all []guise, views ...view) {
	t.Helper()
	dir = filepath.Join("screenshots", dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "html"), 0o750); err != nil {
		t.Fatal(err)
	}
	tools := inspection(t)
	t.Run("in", func(t *testing.T) {
		for _, as := range all {
			t.Run(as.String(), func(t *testing.T) {
				t.Parallel()
				w := open(t, g.instance)
				in := &inspector{w: w, see: w.watched(), as: as, tools: tools, found: map[string][]string{}, dir: dir}
				for _, v := range views {
					in.inspect(g, v)
				}
				for fault, where := range in.found {
					t.Errorf("%s\n\ton %d: %s", fault, len(where), strings.Join(where, ", "))
				}
			})
		}
	})
}

// findings runs axe on the page and returns what it objects to, a line each. Of
// a badge above 99 it wants the bell's name to hold "99+", but the name has the
// exact number, which is more.
const findings = `axe.run(document, {resultTypes: ["violations"], preload: false}).then(r =>
	r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.target.join(" ") + ": " + n.failureSummary))
		.filter(f => !(f.startsWith("label-content-name-mismatch: #bell:") && document.querySelector("#badge").textContent === "99+")))`

// inspection is the scripts that look at a page.
func inspection(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, file := range []string{"axe.min.js", "look.js", "lines.js"} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		all.WriteString("\n;")
	}
	return all.String()
}

// inspector looks at one page after the other in one window.
type inspector struct {
	w     *window
	see   *witness
	as    guise
	tools string
	found map[string][]string // fault → where
	dir   string
}

func (in *inspector) inspect(g *gallery, v view) {
	w := in.w
	last := in.as.widths[len(in.as.widths)-1]
	w.size(last, 900).media("", "prefers-color-scheme", in.as.themes[0])
	if !ask[bool](w, fmt.Sprintf(`matchMedia("(hover: %s)").matches`, map[bool]string{true: "none", false: "hover"}[last < 600])) {
		w.fail("a window of %d px has not the pointer it should have", last)
	}
	w.do(chromedp.Navigate("about:blank")) // a page that looks again by itself is not to do so as somebody else
	if name := in.own(v.as); name == "alice" {
		w.as(nil).visit("/login")
		w.press(`[data-testid=demo]:has(input[value=alice]) button`)
	} else {
		w.as(g.people[name])
	}
	in.see.forget()
	w.visit(in.own(v.path))
	if v.then != nil {
		v.then(w)
	}
	in.served(v)
	w.do(chromedp.Evaluate[chromedp.Void](in.tools))
	for _, theme := range in.as.themes {
		w.media("", "prefers-color-scheme", theme)
		for _, width := range in.as.widths {
			name := fmt.Sprintf("%s-%s-%d", v.name, theme, width)
			w.size(width, 900)
			in.complain(name, ask[[]string](w, fmt.Sprintf("look(%t).concat(lines())", width < 600)))
			in.settle()
			if *pictured {
				in.picture(name)
			}
			if in.as.examined(theme, width) {
				in.complain(name+": axe", ask[[]string](w, findings))
			}
		}
	}
	in.complain(v.name+" "+in.as.String(), in.see.complaints(v.status))
	in.complain(v.name+": as its script made it", faultsOf("<!DOCTYPE html>"+ask[string](w, `document.documentElement.outerHTML`)))
	ask[bool](w, `(sessionStorage.clear(), true)`) // drafts of this view do not show up in the next one
}

// own names what is of this guise only, so that no other changes it meanwhile.
func (in *inspector) own(text string) string { return strings.ReplaceAll(text, "%s", in.as.String()) }

func (in *inspector) complain(where string, faults []string) {
	for _, f := range faults {
		in.found[f] = append(in.found[f], where)
	}
}

// served holds the page as the server sent it to the strict reading.
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

// settle ends what changes slowly: axe would measure a colour on its way.
func (in *inspector) settle() {
	in.w.t.Helper()
	ask[bool](in.w, `(document.getAnimations().forEach(a => a.finish()), true)`)
}

func (in *inspector) picture(name string) {
	in.w.t.Helper()
	// What floats or sticks is where it is in the window, so that a page is one
	// picture from its top.
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
