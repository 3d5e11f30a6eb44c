package e2e

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// pictures is the directory for the pictures of README and docs. `make screenshots` sets it to
// docs/images.
var pictures = flag.String("pictures", "screenshots/docs", "directory for the pictures of README and docs")

// pinnedAnnouncement is the id of the pinned announcement of the demo.
const pinnedAnnouncement = 11

// TestThePicturesOfTheDocs takes the pictures of the demo as a new user sees it.
func TestThePicturesOfTheDocs(t *testing.T) {
	t.Parallel()
	if err := os.MkdirAll(*pictures, 0o750); err != nil {
		t.Fatal(err)
	}
	i := alone(t).serve("--demo", "--addr", "127.0.0.1:0")
	w := portraitist(t, i)
	bob, alice := i.demo(t, "bob"), i.demo(t, "alice")
	bob.get("/inbox") // marks earlier notices as read, so that only the following are new
	for _, n := range []notice{
		{"rep_notice", "aisle:3", "Aisle 3 is full again", "Thank you for being quick, all of you.", ""},
		{"mention", "page:packing", "Alice mentioned you in “Packing list”", "@bob thank you. Only the last line is left to look at.", "/inbox"},
		{"comment", "photo_id:2", "Dave commented on “Fog over the canal”", "I had no idea that it looks like this at six in the morning.", "/inbox"},
	} {
		alice.sends("bob", n)
	}
	w.as(bob).shows2x("light", 1000, 760).visit("/settings")
	openPanel(w)
	w.portrait("panel")
	w.visit("/inbox").until(live)
	w.portrait("inbox")
	w.shows2x("dark", 1000, 760).portrait("inbox-dark")
	w.scaled(390, 800, 2, true)
	w.portrait("phone")

	w.as(alice).shows2x("light", 1280, 1020).visit("/staff/send").until(live2)
	for field, text := range map[string]string{
		"to": "bob, carol", "title": "Order 4187 is on its way again", "body": "It left Lille this morning and will be in Lyon by noon.", "link": "/orders/4187",
	} {
		w.fill(field, text)
	}
	w.until(`document.querySelector("#preview [data-testid=card]") && document.querySelector("[data-testid=recipients]")`)
	w.do(chromedp.Evaluate[chromedp.Void](`document.activeElement.blur(); scrollTo(0, 0)`))
	w.portrait("send")
	w.shows2x("light", 1000, 760).visit("/staff/notices").until(live2)
	w.portrait("sent")

	pinned := strconv.Itoa(pinnedAnnouncement)
	i.demo(t, "erin").get("/announcements/" + pinned)
	bob.get("/announcements/" + pinned)
	w.visit("/staff/notices/" + pinned).until(live2).portrait("announcement")
	w.as(i.demo(t, "carol")).visit("/announcements").until(live2).portrait("announcements")

	w.shows2x("light", 1280, 960).do(chromedp.Navigate(i.url + "/embed/demo"))
	w.until(inBell(`!root?.querySelector(".badge")?.hidden`)).until(`document.querySelector("carillon-inbox").shadowRoot.querySelectorAll("li").length > 3`)
	w.clickOn(`[data-send=notice]`).until(`[...document.querySelectorAll("#events b")].some(b => b.textContent === "carillon-notice")`)
	w.clickOn(`[data-send=toast]`).until(`document.querySelector("carillon-toasts").shadowRoot.querySelector(".title")?.textContent === "Saved"`)
	w.portrait("embed-demo")

	letter, err := filepath.Abs("../views/mail/testdata/several.en.html")
	if err != nil {
		t.Fatal(err)
	}
	w.shows2x("light", 660, 710).do(chromedp.Navigate("file://" + letter))
	w.portrait("mail")
}

// portraitist opens a window of a browser that uses the fonts of the pictures.
func portraitist(t *testing.T, i *instance) *window {
	t.Helper()
	fonts, err := filepath.Abs("testdata/fonts.conf")
	if err != nil {
		t.Fatal(err)
	}
	alloc, cancel := chromedp.NewExecAllocator(context.Background(), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("lang", "en-US"), chromedp.Flag("blink-settings", mouse), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("font-render-hinting", "none"), chromedp.Env("FONTCONFIG_FILE="+fonts))
	t.Cleanup(cancel)
	ctx, stop := chromedp.NewContext(alloc)
	t.Cleanup(stop)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return &window{t: t, ctx: ctx, url: i.url}
}

// demo signs in as one of the demo users.
func (i *instance) demo(t *testing.T, name string) *person {
	t.Helper()
	return i.personBy(t, name, name+"-demo")
}

func (w *window) shows2x(theme string, width, height int64) *window {
	w.t.Helper()
	w.scaled(width, height, 2, false)
	return w.media("", "prefers-color-scheme", theme)
}

// portrait writes a picture of the window.
func (w *window) portrait(name string) {
	w.t.Helper()
	if err := os.WriteFile(filepath.Join(*pictures, name+".png"), w.png(), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// png returns a picture of the window once its animations have ended.
func (w *window) png() []byte {
	w.t.Helper()
	ask[any](w, `Promise.allSettled(document.getAnimations().map(a => a.finished))`)
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
	if err != nil {
		w.t.Fatalf("take a picture: %v", err)
	}
	return shot.Data
}

var shownImage = regexp.MustCompile(`(?:\]\(|src="|srcset=")((?:docs/)?images/[^)" ]+)`)

func TestThePicturesThatAreShownExist(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range shownImage.FindAllSubmatch(text, -1) {
			seen++
			if info, err := os.Stat(filepath.Join(filepath.Dir(file), string(m[1]))); err != nil || info.Size() < 1<<10 {
				t.Errorf("%s shows %s: %v", file, m[1], err)
			}
		}
	}
	if seen == 0 {
		t.Error("no document shows a picture")
	}
}
