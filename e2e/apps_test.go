package e2e

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// TestTheFiveCommandsOfTheDocumentWork runs docs/identity.md as a newcomer would.
func TestTheFiveCommandsOfTheDocumentWork(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/identity.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```sh\n(carillon serve .*?)```").FindStringSubmatch(string(text))
	if block == nil {
		t.Fatal("docs/identity.md has no commands that begin with carillon serve")
	}
	serve, rest, _ := strings.Cut(block[1], "\n\n")
	if serve != "carillon serve --addr 127.0.0.1:8080 &" {
		t.Fatalf("the first command is %q", serve)
	}
	s := alone(t)
	i := s.serve()
	at := strings.LastIndex(rest, "\n\n")
	dir := t.TempDir()
	run := func(commands string) string {
		commands = strings.ReplaceAll(commands, "http://127.0.0.1:8080", i.url)
		commands = strings.Replace(commands, "carillon app add", program+" app add "+strings.Join(s.flags, " "), 1)
		sh := exec.CommandContext(t.Context(), "bash", "-euc", commands)
		sh.Dir = dir
		out, err := sh.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, commands, out)
		}
		return string(out)
	}
	if out := run(rest[:at]); !strings.Contains(out, `"state":"accepted"`) {
		t.Errorf("the notice was answered by %s", out)
	}
	testkit.Eventually(t, "the badge of a user who was never added", func() bool {
		return strings.Contains(run("set -a; . ./shop.env\n"+rest[at:]), `{"unread":1,`)
	})
}

// hostApp is an application on its own origin.
type hostApp struct {
	*httptest.Server
	key    string
	apiKey string
}

// hostApp adds an app whose pages are on a new origin. They are empty.
func (s *site) hostApp(t *testing.T, name string) *hostApp {
	t.Helper()
	page := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>`)
	})
	app := &hostApp{Server: httptest.NewServer(page)}
	t.Cleanup(app.Close)
	var added struct {
		TokenKey string `json:"token_key"`
		APIKey   string `json:"api_key"`
	}
	if err := json.Unmarshal([]byte(s.carillon("", "app", "add", name, "--origin", app.URL, "--json")), &added); err != nil {
		t.Fatal(err)
	}
	app.key, app.apiKey = added.TokenKey, added.APIKey
	return app
}

// token signs a token for a user, of 15 minutes.
func (a *hostApp) token(t *testing.T, user string) string {
	t.Helper()
	now := time.Now().Unix()
	return a.tokenOf(t, user, now, now+900)
}

// tokenOf signs a token that was issued and expires at these times, in seconds.
func (a *hostApp) tokenOf(t *testing.T, user string, issued, expires int64) string {
	t.Helper()
	kid, _, _ := strings.Cut(a.key, ".")
	part := func(v any) string {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := part(map[string]any{"alg": "HS256", "kid": kid}) + "." + part(map[string]any{"aud": "carillon", "sub": user, "iat": issued, "exp": expires})
	mac := hmac.New(sha256.New, []byte(a.key))
	_, _ = mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// followBadge reads the stream of a token's user with fetch, and keeps the latest badge in window.badge.
const followBadge = `(async () => {
	const res = await fetch(%q, { headers: { Authorization: "Bearer " + %q } });
	const reader = res.body.pipeThrough(new TextDecoderStream()).getReader();
	(async () => {
		for (let text = "";;) {
			const { value, done } = await reader.read();
			if (done) return;
			text += value;
			window.badge = [...text.matchAll(/data: (.*)\nevent: badge\n/g)].at(-1)?.[1] ?? window.badge;
		}
	})();
	return res.status;
})()`

const askBadge = `fetch(%q, { headers: { Authorization: "Bearer " + %q } }).then(r => r.text(), e => "refused: " + e.name)`

func TestAPageOfAnotherOriginReadsItsBadge(t *testing.T) {
	t.Parallel()
	s := alone(t)
	i := s.serve()
	shop, other := s.hostApp(t, "shop"), s.hostApp(t, "other")
	token := shop.token(t, "4711")
	w := open(t, i)
	w.do(chromedp.Navigate(shop.URL))
	badge := i.url + "/api/v1/me/badge"
	if got := ask[string](w, fmt.Sprintf(askBadge, badge, token)); !strings.HasPrefix(got, `{"unread":0,`) {
		t.Errorf("the badge is %s", got)
	}
	if status := ask[int](w, fmt.Sprintf(followBadge, i.url+"/api/v1/me/events?visible=1", token)); status != http.StatusOK {
		t.Fatalf("the stream was answered by %d", status)
	}
	w.until(`window.badge?.startsWith('{"unread":0,')`)
	s.carillon("", "send", "--to", "4711", "--type", "order", "--title", "Your order is on its way")
	w.until(`window.badge.startsWith('{"unread":1,')`)

	// A page of another app cannot use the token, and a page without an app gets no response.
	w.do(chromedp.Navigate(other.URL))
	if got := ask[string](w, fmt.Sprintf(askBadge, badge, token)); !strings.Contains(got, `"origin_refused"`) {
		t.Errorf("a page of another app got %s", got)
	}
	stranger := httptest.NewServer(other.Config.Handler)
	t.Cleanup(stranger.Close)
	w.do(chromedp.Navigate(stranger.URL))
	if got := ask[string](w, fmt.Sprintf(askBadge, badge, token)); got != "refused: TypeError" {
		t.Errorf("a page of no app got %s", got)
	}
}

func TestStaffAddAnAppWhoseKeysWorkUntilTheyRevokeIt(t *testing.T) {
	t.Parallel()
	w, i := officeDesk(t)
	shop := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(shop.Close)
	w.withoutScript().visit("/staff/apps").clickOn(".adding summary")
	w.fill("name", "shop")
	w.fill("origins", "shop.example.com")
	w.press("[data-testid=app-form] .primary")
	w.until(textOf("#origins-fault") + `.includes("shop.example.com") && document.querySelector("[name=name]").value === "shop"`)
	w.do(chromedp.Clear(css("#origins")))
	w.fill("origins", shop.URL)
	w.press("[data-testid=app-form] .primary")
	w.has("h1", "shop").shot("office-app-made")
	value := func(testid string) string {
		_, value, _ := strings.Cut(ask[string](w, textOf("[data-testid="+testid+"]")), "=")
		return value
	}
	apiKey, token := value("api-key"), (&hostApp{key: value("token-key")}).token(t, "4711")

	answer := func(method, path, key, body string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, i.url+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+key)
		r.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		return res.StatusCode
	}
	send := func() int {
		return answer("POST", "/api/v1/notices", apiKey, `{"target": {"users": ["4711"]}, "type": "order", "title": "Your order is on its way"}`)
	}
	read := func() int { return answer("GET", "/api/v1/me/badge", token, "") }
	if sent, got := send(), read(); sent != http.StatusAccepted || got != http.StatusOK {
		t.Fatalf("the API key is answered by %d, the token by %d", sent, got)
	}
	w.press(".back a")
	w.has("[data-testid=app] th a", "shop")
	w.press("[data-testid=app] th a")
	w.clickOn("[data-testid=revoke-app] summary")
	w.press("[data-testid=revoke-app] button")
	w.until(`document.querySelector("[data-state=revoked]")`)
	testkit.Eventually(t, "both keys are refused", func() bool {
		return send() == http.StatusUnauthorized && read() == http.StatusUnauthorized
	})
}
