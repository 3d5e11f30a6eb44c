package snippets_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/app"
	"github.com/carillonhq/carillon/snippets"
	carillon "github.com/carillonhq/carillon/snippets/go"
	"github.com/carillonhq/carillon/store"
)

// display is the name of user 42: JSON must escape part of it.
const display = `O'Hara "山田" \ Ñ`

// TestEndpointOfEachStack runs the endpoint of each stack without and with a signed-in user, and verifies the token.
// scripts/setup.sh installs the languages.
func TestEndpointOfEachStack(t *testing.T) {
	verifier, added := newApp(t)
	for _, stack := range snippets.Stacks() {
		t.Run(stack.Slug, func(t *testing.T) {
			if stack.Slug != "go" { // it reads the environment of the test
				t.Parallel()
			}
			out := run(t, stack, added.TokenKey)
			status, answer, _ := strings.Cut(strings.TrimSpace(out), "\n")
			var body struct {
				Token string `json:"token"`
			}
			if err := json.Unmarshal([]byte(answer), &body); status != "401" || err != nil {
				t.Fatalf("it answers %q: %v", out, err)
			}
			token, err := verifier.Verify(t.Context(), body.Token)
			if err != nil {
				t.Fatal(err)
			}
			want := []any{"42", display, "shop", 15 * time.Minute}
			if stack.Slug == "spring" {
				want[0] = display // where a user has only a name
			}
			got := []any{token.Subject, *token.Profile.Display, token.App.Name, token.Expires.Sub(token.IssuedAt)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTokenOfEachLanguage runs the commands of examples/tokens.
func TestTokenOfEachLanguage(t *testing.T) {
	verifier, added := newApp(t)
	dir, err := filepath.Abs("../examples/tokens")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(filepath.Join(dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for line := range strings.Lines(string(readme)) {
		call, found := strings.CutSuffix(strings.TrimSpace(line), " 'Ann Archer'")
		if !found {
			continue
		}
		ran++
		t.Run(strings.Fields(call)[0], func(t *testing.T) {
			t.Parallel()
			token, err := verifier.Verify(t.Context(), strings.TrimSpace(command(t, added.TokenKey, dir, "bash", "-c", call+` "$NAME"`)))
			if err != nil {
				t.Fatal(err)
			}
			got := []any{token.Subject, *token.Profile.Display, token.App.Name, token.Expires.Sub(token.IssuedAt)}
			if diff := cmp.Diff([]any{"42", display, "shop", 15 * time.Minute}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if ran != 6 {
		t.Errorf("%d languages", ran)
	}
}

// newApp adds an app to a fresh database.
func newApp(t *testing.T) (*app.Verifier, notifier.AddedApp) {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{DataDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	keys, audiences := [][]byte{bytes.Repeat([]byte{7}, 32)}, map[notifier.Audience]string{2: "user"}
	hash := sha256.Sum256([]byte("ck_test"))
	apps, err := app.New(app.Config{Store: db, Audiences: audiences, SessionKeys: keys, NewAPIKey: func() (string, []byte) { return "ck_test", hash[:] }})
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := app.NewVerifier(app.VerifierConfig{Store: db, Audiences: audiences, SessionKeys: keys})
	if err != nil {
		t.Fatal(err)
	}
	added, err := apps.Add(t.Context(), notifier.Actor{}, notifier.App{Name: "shop", Audience: 2, MaxLife: time.Hour}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return verifier, added
}

// run prints one line with the status without a user, and one with the response for user 42.
func run(t *testing.T, stack snippets.Stack, key string) string {
	t.Helper()
	if stack.Slug == "go" {
		return runGo(t, key)
	}
	dir := t.TempDir()
	text, err := snippets.Endpoint(stack.Slug, snippets.SharedSecret)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, filepath.Base(stack.File))
	if strings.HasSuffix(file, ".js") {
		file = strings.TrimSuffix(file, ".js") + ".mjs" // in the application, package.json makes it a module
	}
	write(t, file, text)
	switch stack.Slug {
	case "django":
		return command(t, key, dir, "/usr/bin/python3", testdata(t, "django_run.py"), file) // has Debian's Django
	case "flask":
		return command(t, key, dir, "/usr/bin/python3", testdata(t, "flask_run.py"), file)
	case "rails":
		return command(t, key, dir, "ruby", testdata(t, "rails_run.rb"), file)
	case "laravel":
		return command(t, key, dir, "php", testdata(t, "laravel_run.php"), file)
	case "express":
		return command(t, key, dir, "node", testdata(t, "express_run.mjs"), file)
	case "next":
		run := filepath.Join(dir, "run.mjs")
		write(t, run, read(t, "next_run.mjs"))
		write(t, filepath.Join(dir, "node_modules/@/auth/index.js"), read(t, "auth.mjs"))
		write(t, filepath.Join(dir, "node_modules/@/auth/package.json"), `{"type": "module", "exports": "./index.js"}`)
		return command(t, key, dir, "node", run, file)
	case "spring":
		command(t, key, dir, "javac", "-d", dir, "-sourcepath", testdata(t, "spring"), file, testdata(t, "spring/Run.java"))
		return command(t, key, dir, "java", "-cp", dir, "Run")
	case "phoenix":
		return command(t, key, dir, "elixir", testdata(t, "phoenix_run.exs"), file)
	}
	t.Fatalf("nothing runs the snippet for %s", stack.Name)
	return ""
}

func command(t *testing.T, key, dir, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), "CARILLON_TOKEN_KEY="+key, "NAME="+display, "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1")
	var faults strings.Builder
	c.Stderr = &faults
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", name, err, out, faults.String())
	}
	return string(out)
}

func runGo(t *testing.T, key string) string {
	t.Helper()
	t.Setenv("CARILLON_TOKEN_KEY", key)
	var out strings.Builder
	for _, known := range []bool{false, true} {
		w := httptest.NewRecorder()
		carillon.Token(func(*http.Request) (id, name string, ok bool) { return "42", display, known })(w, httptest.NewRequest(http.MethodGet, "/carillon/token", nil))
		if w.Code != http.StatusOK {
			w.Body = bytes.NewBufferString(strconv.Itoa(w.Code) + "\n")
		}
		out.WriteString(w.Body.String())
	}
	return out.String()
}

func TestHTMLNamesTheServer(t *testing.T) {
	t.Parallel()
	html, err := snippets.HTML("https://carillon.example.org/notifications/")
	if err != nil || strings.Count(html, "\n") != 2 || strings.Count(html, `"https://carillon.example.org/notifications/`) != 2 || strings.Contains(html, "notices.example.com") {
		t.Errorf("the HTML is %s, %v", html, err)
	}
	if _, err := snippets.Endpoint("cobol", snippets.SharedSecret); err == nil {
		t.Error("there is an endpoint in COBOL")
	}
}

func testdata(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
