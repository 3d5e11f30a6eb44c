package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// packageApp uses the package as an application does: a typed tag, the hook of React, and the
// composable of Vue.
const packageApp = `import "carillon-embed";
import { connect } from "carillon-embed/core";
import { useCarillon } from "carillon-embed/react";
import { useCarillon as useInVue } from "carillon-embed/vue";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createApp, h } from "vue";

const client = connect({ tokenUrl: "/carillon/token" });

function Count() {
	const { badge, state } = useCarillon(client);
	return <p id="react" data-state={state}>{badge.unread} unread</p>;
}

createRoot(document.querySelector("#root")!).render(<StrictMode><Count /><carillon-bell token-url="/carillon/token" max={9} /></StrictMode>);
createApp({ setup() { const now = useInVue(client); return () => h("p", { id: "vue" }, now.value.badge.unread + " unread"); } }).mount("#app");
`

const packagePage = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Shop</title><link rel="icon" href="data:,">
<div id="root"></div><div id="app"></div><script type="module" src="/app.js"></script>`

// npm runs a program of npm, or npm itself, in a directory.
func npm(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

func TestThePackageIsInstalledCheckedAndBundled(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop := newShop(t, s, i, "4711")
	modules, err := filepath.Abs("../node_modules")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json":  `{"name": "shop", "private": true, "type": "module"}`,
		"tsconfig.json": `{"compilerOptions": {"strict": true, "noEmit": true, "skipLibCheck": false, "target": "es2022", "lib": ["es2022", "dom", "dom.iterable"], "module": "esnext", "moduleResolution": "bundler", "jsx": "react-jsx", "types": []}, "include": ["app.tsx"]}`,
		"app.tsx":       packageApp,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	npm(t, dir, "npm", "install", "--no-audit", "--no-fund", "--legacy-peer-deps", i.url+"/embed/carillon-embed.tgz")
	for _, name := range []string{"react", "react-dom", "scheduler", "vue", "@vue", "@types", "csstype", "esbuild", "@esbuild"} {
		if _, err := os.Stat(filepath.Join(modules, name)); err != nil {
			t.Fatalf("%v: run npm install in the root of the project", err)
		}
		if err := os.Symlink(filepath.Join(modules, name), filepath.Join(dir, "node_modules", name)); err != nil {
			t.Fatal(err)
		}
	}
	npm(t, dir, filepath.Join(modules, ".bin/tsc"))
	// A server that renders pages also loads the package.
	npm(t, dir, "node", "--input-type=module", "--eval", `import { connect } from "carillon-embed"; if (!connect) process.exit(1)`)
	npm(t, dir, filepath.Join(modules, ".bin/esbuild"), "app.tsx", "--bundle", "--minify", "--format=esm", "--jsx=automatic",
		`--define:process.env.NODE_ENV="production"`, "--define:__VUE_OPTIONS_API__=false", "--define:__VUE_PROD_DEVTOOLS__=false", "--define:__VUE_PROD_HYDRATION_MISMATCH_DETAILS__=false", "--outfile=app.js")
	app, err := os.ReadFile(filepath.Join(dir, "app.js"))
	if err != nil {
		t.Fatal(err)
	}
	pages := shop.Config.Handler
	shop.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte(packagePage))
		case "/app.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(app)
		default:
			pages.ServeHTTP(w, r)
		}
	})
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	w.has("#react", "0 unread").has("#vue", "0 unread").until(`document.querySelector("#react").dataset.state === "live"`)
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Your order is on its way")
	w.has("#react", "1 unread").has("#vue", "1 unread")
	w.until(inBell(`root.querySelector(".badge").textContent === "1"`))
}
