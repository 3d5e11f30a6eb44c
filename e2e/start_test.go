package e2e

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/snippets"
)

// newcomer is a shell with the program in its path, beside a running server, in which commands of a document are run.
type newcomer struct {
	t   *testing.T
	i   *instance
	dir string
	env []string
}

func newNewcomer(t *testing.T, s *site, i *instance) *newcomer {
	t.Helper()
	return &newcomer{t, i, t.TempDir(), append(os.Environ(), "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"),
		"CARILLON_DATA_DIR="+s.flags[1], "CARILLON_ADDR="+i.addr(), "CARILLON_PUBLIC_URL="+i.url)}
}

// shell returns a command with the keys that earlier commands have put into shop.env.
func (n *newcomer) shell(commands string) *exec.Cmd {
	sh := exec.CommandContext(n.t.Context(), "bash", "-euc", "[ ! -f shop.env ] || { set -a; . ./shop.env; set +a; }\n"+commands)
	sh.Dir, sh.Env = n.dir, n.env
	return sh
}

func (n *newcomer) runs(commands string) string {
	n.t.Helper()
	out, err := n.shell(commands).CombinedOutput()
	if err != nil {
		n.t.Fatalf("%v\n%s\n%s", err, commands, out)
	}
	return string(out)
}

// documentBlocks returns the fenced blocks of a language in a document of the repository, with the addresses of the test.
func documentBlocks(t *testing.T, name, language string, addresses *strings.Replacer) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", name))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, block := range regexp.MustCompile("(?s)```"+language+"\n(.*?)```").FindAllSubmatch(text, -1) {
		all = append(all, addresses.Replace(string(block[1])))
	}
	return all
}

// TestTheBellOfTheStartPage runs docs/start.md, and looks at the bell of its application.
func TestTheBellOfTheStartPage(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	port := strconv.Itoa(testkit.Port())
	all := documentBlocks(t, "docs/start.md", "sh", strings.NewReplacer("http://127.0.0.1:8080", i.url, "8000", port))
	if len(all) != 4 || !strings.HasPrefix(all[0], "carillon serve --addr 127.0.0.1:8080 &") {
		t.Fatalf("docs/start.md has other blocks of commands: %q", all)
	}
	n := newNewcomer(t, s, i)
	n.runs(all[1])
	file, start, _ := strings.Cut(all[2], "\nEOF\n")
	n.runs(file + "\nEOF\n")

	html := regexp.MustCompile(`(?m)^<(script|carillon-bell) .*$`).FindAllString(file, -1)
	printed, err := os.ReadFile(filepath.Join(n.dir, "shop.txt"))
	if err != nil || len(html) != 2 || !bytes.Contains(printed, []byte(strings.Join(html, "\n"))) {
		t.Errorf("the page has %q, but app add prints %s, %v", html, printed, err)
	}

	shop := n.shell("exec " + strings.TrimSuffix(strings.TrimSpace(start), " &"))
	shop.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := shop.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = shop.Process.Kill(); _ = shop.Wait() })
	n.runs("until curl --silent --output page http://127.0.0.1:" + port + "; do sleep 0.1; done")

	w := open(t, &instance{t: t, url: "http://127.0.0.1:" + port})
	w.do(chromedp.Navigate(w.url))
	w.until(inBell(`bell.client?.getSnapshot().user === "4711" && root.querySelector(".badge").hidden`)).script(`window.stays = true`)
	n.runs(all[3])
	w.until(`window.stays && ` + inBell(`root.querySelector(".badge").textContent === "1"`))
	w.clickOn("carillon-bell")
	w.until(inBell(`root.querySelector(".badge").hidden && root.querySelector("li")?.textContent.includes("Your order is on its way")`))
	w.until(inBell(`root.querySelector("li a").href === "http://127.0.0.1:` + port + `/orders/7"`)).shot("start")
}

// TestTheCommandsOfTheREADME runs the call of the README beside the demo, and compares its two lines of HTML with those of `carillon app add`.
func TestTheCommandsOfTheREADME(t *testing.T) {
	t.Parallel()
	html, err := snippets.HTML("https://notices.example.com")
	if shown := documentBlocks(t, "README.md", "html", strings.NewReplacer()); err != nil || len(shown) != 1 || shown[0] != html {
		t.Errorf("the README has %q instead of %q, %v", shown, html, err)
	}
	s := alone(t)
	i := s.serve("--demo", "--addr", "127.0.0.1:0")
	all := documentBlocks(t, "README.md", "sh", strings.NewReplacer("http://127.0.0.1:8080", i.url, "go run ./cmd/carillon", "carillon"))
	if len(all) != 1 {
		t.Fatalf("the README has %d blocks of commands", len(all))
	}
	bob := open(t, i).as(i.demo(t, "bob"))
	bob.visit("/announcements").until(live)
	before := ask[string](bob, `document.querySelector("[data-testid=badge]").textContent`)
	newNewcomer(t, s, i).runs(all[0])
	bob.until(`document.querySelector("[data-testid=badge]").textContent !== "` + before + `"`)
	bob.visit("/inbox").until(live).until(`document.querySelector("main .row")?.textContent.includes("Alice likes your photo")`)
}
