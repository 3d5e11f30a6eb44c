package e2e

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// clone copies the files of the repository to a directory of the test, as a clone would. Files that git ignores, such
// as the output of an earlier run, are missing.
func clone(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	list := exec.CommandContext(t.Context(), "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = ".."
	names, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		from, to := filepath.Join("..", name), filepath.Join(dir, name)
		text, err := os.ReadFile(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o700)
		}
		if err == nil {
			err = os.WriteFile(to, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// readme is a shell in a clone that runs the commands of an example's README, as a newcomer does.
type readme struct {
	t        *testing.T
	commands []string
	ports    *strings.Replacer
	dir      string // the clone
	began    time.Time
	Carillon string // its URL
	Shop     string // the application's
	Django   string // of the application behind nginx
}

// example returns the README of an example. Its servers get free ports.
func example(t *testing.T, name string, ports ...string) *readme {
	t.Helper()
	text, err := os.ReadFile("../examples/" + name + "/README.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatalf("the README of %s has no commands", name)
	}
	r := &readme{t: t, commands: strings.Split(strings.TrimSpace(string(block[1])), "\n\n")}
	var pairs []string
	at := map[string]string{}
	for _, port := range ports {
		free := strconv.Itoa(testkit.Port())
		pairs, at[port] = append(pairs, port, free), "http://127.0.0.1:"+free
	}
	r.ports, r.Carillon, r.Shop, r.Django = strings.NewReplacer(pairs...), at["8080"], at["8000"], at["8001"]
	if len(r.commands) > 5 {
		t.Errorf("the README of %s has %d commands", name, len(r.commands))
	}
	return r
}

// mostTime is the maximum time from a clone to a live bell.
const mostTime = 10 * time.Minute

// run runs the first commands in one shell, and waits where a person would see that a server has started. Its
// processes end with the test.
func (r *readme) run(commands int) {
	r.t.Helper()
	var script bytes.Buffer
	script.WriteString("set -e\nuntil_there() { for _ in $(seq 600); do curl --silent --output /dev/null \"$1\" && return; sleep 0.1; done; echo \"$1 does not answer\"; exit 1; }\n")
	for _, command := range r.commands[:commands] {
		script.WriteString(r.ports.Replace(command) + "\n")
		if strings.HasSuffix(command, "&") {
			at := r.Carillon + "/readyz"
			switch {
			case strings.Contains(command, "carillon serve"):
			case strings.Contains(command, "runserver 8001"):
				at = r.Django
			default:
				at = r.Shop
			}
			script.WriteString("until_there " + at + "\n")
		}
	}
	script.WriteString("echo all done\nwait\n")
	r.began = time.Now()
	r.dir = clone(r.t)
	r.moved()
	log := filepath.Join(r.t.TempDir(), "log")
	out, err := os.Create(log)
	if err != nil {
		r.t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.CommandContext(r.t.Context(), "bash", "-c", script.String())
	cmd.Dir, cmd.Stdout, cmd.Stderr = r.dir, out, out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	var failed error
	ended := make(chan struct{})
	go func() { failed = cmd.Wait(); close(ended) }()
	r.t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		<-ended
	})
	said := func() string { text, _ := os.ReadFile(log); return string(text) }
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(said(), "all done") {
		select {
		case <-ended:
			r.t.Fatalf("%v\n%s", failed, said())
		case <-tick.C:
		}
		if time.Since(r.began) > mostTime {
			r.t.Fatalf("the commands take more than ten minutes:\n%s", said())
		}
	}
}

// moved replaces the ports in the files of the examples with free ones.
func (r *readme) moved() {
	r.t.Helper()
	for _, name := range []string{"django/shop/settings.py", "nginx-django/nginx.conf", "express-react/server.js"} {
		file := filepath.Join(r.dir, "examples", name)
		text, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, []byte(r.ports.Replace(string(text))), 0o600)
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// again sends one more notice, with the last command and another title.
func (r *readme) again(title string) {
	r.t.Helper()
	last := strings.Replace(r.ports.Replace(r.commands[4]), "Order 7 is on its way", title, 1)
	cmd := exec.CommandContext(r.t.Context(), "bash", "-ec", "set -a; [ ! -f shop.env ] || . ./shop.env\n"+last)
	cmd.Dir = r.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%v\n%s", err, out)
	}
}

// shopper signs in to the application of an example.
func (r *readme) shopper(name string) *window {
	r.t.Helper()
	w := open(r.t, &instance{t: r.t, url: r.Shop}).watchesThePolicy()
	w.do(chromedp.Navigate(r.Shop + "/login"))
	return w.keepsThePolicy().entersAs(name)
}

func (w *window) entersAs(name string) *window {
	w.t.Helper()
	w.do(chromedp.SendKeys(css(`input[name=username]`), name), chromedp.SendKeys(css(`input[name=password]`), "harbour\n"))
	return w.until(`document.querySelector("carillon-bell")`)
}

// isLive checks that the bell shows the notice of the README, and another one without a reload, and logs the time
// since the clone.
func (r *readme) isLive(w *window) {
	r.t.Helper()
	w.until(inBell(`root?.querySelector(".badge")?.textContent === "1"`)).script(`window.stays = true`)
	r.again("Order 8 is packed")
	w.until(`window.stays && ` + inBell(`root.querySelector(".badge").textContent === "2"`))
	took := time.Since(r.began)
	r.t.Logf("from a clone to a live bell: %.1f s", took.Seconds())
	if took > mostTime {
		r.t.Error("it takes more than ten minutes")
	}
}

func TestTheExampleOfDjangoWorksFromItsREADME(t *testing.T) {
	t.Parallel()
	snippet, err1 := os.ReadFile("../snippets/django.py")
	copied, err2 := os.ReadFile("../examples/django/shop/carillon.py")
	if err := errors.Join(err1, err2); err != nil || !bytes.Equal(snippet, copied) {
		t.Errorf("shop/carillon.py differs from the snippet: %v", err)
	}
	r := example(t, "django", "8080", "8000")
	r.run(5)
	ben := r.shopper("ben")
	r.isLive(ben)
	ask[any](ben, inBell(`bell.show()`))
	ben.until(inBell(`root.querySelectorAll("li").length === 2`))
	ben.keepsThePolicy().shot("example-django")
	ask[any](ben, inBell(`root.querySelector("li a").click()`))
	ben.until(`location.pathname === "/orders/7" && document.querySelector("h1").textContent === "Order 7"`)
	ben.until(inBell(`root.querySelector(".badge").hidden`)) // the panel was opened
	ben.keepsThePolicy().script(`document.body.setAttribute("style", "color: red")`)
	ben.until(`refused[0] === "style-src-attr inline"`) // the policy is in force, and violations are recorded

	// Another person in the same browser sees none of it.
	ben.press(`header form button`)
	ben.until(`location.pathname === "/login" && !document.querySelector("carillon-bell")`)
	ann := ben.entersAs("ann")
	ann.until(inBell(`root !== null`)) // the script has loaded
	ask[any](ann, inBell(`bell.show()`))
	ann.until(inBell(`bell.client.getSnapshot().user === "1" && root.querySelectorAll("li").length === 0`))
	if res, err := http.Get(r.Shop + "/carillon/token"); err != nil || res.Body.Close() != nil || res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token without a user: %v, %v", res.Status, err)
	}
}

func TestTheExampleOfNginxAndDjangoWorksFromItsREADME(t *testing.T) {
	t.Parallel()
	r := example(t, "nginx-django", "8080", "8000", "8001")
	r.run(4)
	ben := r.shopper("ben")
	ben.until(inBell(`bell.client?.getSnapshot().user === "2"`)) // without a token
	r.again("Order 7 is on its way")
	ben.until(inBell(`root.querySelector(".badge").textContent === "1"`))
	ben.keepsThePolicy()
	if got := ask[string](ben, `fetch("/notifications/api/v1/me", {headers: {"X-Forwarded-User": "1"}}).then((r) => r.json()).then((me) => me.id)`); got != "2" {
		t.Errorf("with a forged header ben is %s", got)
	}
	ben.do(chromedp.Navigate(r.Shop + "/notifications/inbox"))
	ben.until(live).titles("Order 7 is on its way")
	ben.until(`!document.querySelector("a[href$='/staff/send']")`)
	ann := r.shopper("ann")
	ann.do(chromedp.Navigate(r.Shop + "/notifications/staff/send"))
	ann.until(`document.querySelector("#to, [name=to]")`)

	// A header sent by a client identifies no user.
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, r.Shop+"/notifications/api/v1/me", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Forwarded-User", "2")
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if _ = res.Body.Close(); res.StatusCode == http.StatusOK {
		t.Error("a forged header is believed")
	}
}

func TestTheExampleOfExpressAndReactWorksFromItsREADME(t *testing.T) {
	t.Parallel()
	r := example(t, "express-react", "8080", "8000")
	r.run(5)
	ben := open(t, &instance{t: t, url: r.Shop}).watchesThePolicy()
	ben.do(chromedp.Navigate(r.Shop))
	ben.until(`document.querySelector("button[value='2']")`)
	ben.press(`button[value="2"]`)
	ben.until(`document.querySelector("carillon-bell")`)
	r.isLive(ben)
	ben.has("#news", "2 unread") // with the hook
	ask[any](ben, inBell(`bell.show()`))
	ben.until(inBell(`root.querySelectorAll("li").length === 2`))
	ask[any](ben, inBell(`root.querySelector("li a").click()`))
	ben.until(`window.stays && location.pathname === "/orders/7" && document.querySelector("h1").textContent === "Order 7"`)
	ben.keepsThePolicy().shot("example-express-react")
}

// The shop never calls Carillon: its command commits a row beside the change.
func TestTheExampleOfDjangoNotifiesByItsOutbox(t *testing.T) {
	t.Parallel()
	r := example(t, "django", "8080", "8000")
	serve := "CARILLON_RULE_SOURCE_SHOP=sqlite:examples/django/shop.db bin/carillon serve --addr 127.0.0.1:8080 --rules examples/django/rules.toml &"
	if text, err := os.ReadFile("../examples/django/README.md"); err != nil || !strings.Contains(string(text), serve) {
		t.Fatalf("the README does not have %s: %v", serve, err)
	}
	r.commands[1] = serve
	r.run(4)
	dispatch := func(args string) error {
		cmd := exec.CommandContext(t.Context(), "bash", "-ec", "cd examples/django && /usr/bin/python3 manage.py dispatch "+args)
		cmd.Dir = r.dir
		return cmd.Run()
	}
	ben := r.shopper("ben")
	ben.until(inBell(`bell.client.getSnapshot().user === "2"`)).script(`window.stays = true`)
	if err := dispatch("9 --lost"); err == nil {
		t.Error("a lost order is dispatched")
	}
	if err := dispatch("8"); err != nil {
		t.Fatal(err)
	}
	ben.until(`window.stays && ` + inBell(`root.querySelector(".badge").textContent === "1"`))
	ask[any](ben, inBell(`bell.show()`))
	ben.until(inBell(`root.querySelectorAll("li").length === 1 && root.querySelector("li").textContent.includes("Order 8 is on its way")`))
	ask[any](ben, inBell(`root.querySelector("li a").click()`))
	ben.until(`window.stays === undefined && location.pathname === "/orders/8"`)
	if err := dispatch("8"); err == nil {
		t.Error("an order is dispatched twice")
	}
}
