package e2e

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// below makes the whole suite use servers below a path.
var below = flag.String("below", "", "the path of the public URL of every server, such as /notifications")

// program is the binary under test, built once.
var program string

// mouse gives the windows a mouse, which a headless browser lacks.
const mouse = "primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4"

// browser is the Chromium that all tests share. Each person has their own context (cookies and
// storage) in it.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if of := os.Getenv(applicationOf); of != "" {
		return sell(of)
	}
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll("screenshots", 0o750); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	program = filepath.Join(dir, "carillon")
	build := exec.Command("go", "build", "-o", program, "../cmd/carillon")
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "build the program:", err)
		return 1
	}
	alloc, cancel := chromedp.NewExecAllocator(context.Background(),
		chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WindowSize(1280, 900),
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("lang", "en-US"),
		chromedp.Flag("blink-settings", mouse), chromedp.Flag("force-prefers-reduced-motion", true), // a click hits what it aims at
		// Successive pages in one window need no new process.
		chromedp.Flag("process-per-site", true), chromedp.Flag("in-process-gpu", true),
		chromedp.Flag("host-resolver-rules", "MAP lan.test 127.0.0.1"))
	defer cancel()
	ctx, stop := chromedp.NewContext(alloc)
	defer stop()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "start Chromium:", err)
		return 1
	}
	browser = ctx
	return sqltest.Wrap(redistest.Wrap(m)).Run()
}
