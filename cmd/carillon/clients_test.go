package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// TestClientOfEachLanguage has each client of clients/ make the same calls on a real server, behind a proxy that fails.
func TestClientOfEachLanguage(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs("../../clients")
	if err != nil {
		t.Fatal(err)
	}
	here := in(t.TempDir())
	server := serve(t, here)
	var shop addedApp
	if err := json.Unmarshal([]byte(must(t, here.run(t.Context(), "--json", "app", "add", "shop")).out), &shop); err != nil {
		t.Fatal(err)
	}
	key := strings.TrimSpace(must(t, here.run(t.Context(), "key", "add", "clients", "--scope", "admin")).out)
	for dir, command := range map[string][]string{
		"go":         {"go", "run", "./conformance"},
		"php":        {"php", "conformance.php"},
		"python":     {"/usr/bin/python3", "conformance.py"}, // has Debian's cryptography
		"ruby":       {"ruby", "-w", "-Ilib", "conformance.rb"},
		"typescript": {"node", "conformance.mjs"},
	} {
		t.Run(dir, func(t *testing.T) {
			t.Parallel()
			p := failingProxy(t, server.URL)
			ctx := context.WithoutCancel(t.Context()) // it ends with its input
			cmd := exec.CommandContext(ctx, command[0], command[1:]...)
			cmd.Dir = filepath.Join(root, dir)
			cmd.Env = append(os.Environ(), "CARILLON_URL="+p.url+"/", "CARILLON_API_KEY="+key)
			conforms(t, &client{t: t, program: started(t, cmd)}, p, dir, shop.TokenKey)
		})
	}
}

// conforms makes all calls of a client. user is a name of its own on the server.
func conforms(t *testing.T, c *client, p *proxy, user, tokenKey string) {
	t.Helper()
	c.gives(`{"name":"`+user+`","roles":["`+user+`-approver"],"locale":"ja"}`, "put_user", user, map[string]any{"roles": []string{user + "-approver"}, "locale": "ja"})
	c.gives(`{"name":"`+user+`","roles":[]}`, "put_user", user, map[string]any{"roles": []string{}})
	c.result("put_user", user, map[string]any{"roles": []string{user + "-approver"}})
	c.gives(`{"locale":"ja"}`, "user", user)

	notice := map[string]any{"target": map[string]any{"users": []string{user}}, "type": "order", "subject": "order:7", "title": "Größe 山田", "data": map[string]any{"n": 7}}
	p.next.Store("cut") // a dry run is repeated, too
	c.gives(`{"people":[{"user":"`+user+`","ways":["inbox"],"asleep":false}],"asleep":0}`, "dry_run", notice)
	c.gives(`{"status":422,"code":"invalid","fields":["body.target.users"]}`, "dry_run", map[string]any{"target": map[string]any{"users": []string{user + " & nobody"}}, "title": "A"})

	// What fails for a moment is repeated, and sent once.
	for _, how := range []string{"cut", "half", "busy", "gateway", ""} {
		notice["subject"] = "order:7:" + how
		p.next.Store(how)
		first := c.object("send", notice)
		c.gives(fmt.Sprintf(`{"id":%v,"title":"Größe 山田","data":{"n":7}}`, first["id"]), "notice", first["id"])
		c.gives(`{"got":true,"code":"target"}`, "why", first["id"], user)
	}
	if sent := p.accepted.Load(); sent != 5 {
		t.Errorf("%d of 5 notices were new", sent)
	}

	// What cannot succeed is refused at once, with the fields.
	before := p.calls.Load()
	c.gives(`{"status":422,"code":"invalid","fields":["body.title"]}`, "send", map[string]any{"target": notice["target"], "title": ""})
	c.gives(`{"status":404,"code":"not_found","fields":[]}`, "user", user+" / nobody?")
	p.next.Store("redirect") // it would take the key along
	c.gives(`{"status":307,"code":"","fields":[]}`, "user", user)
	if n := p.calls.Load() - before; n != 3 {
		t.Errorf("three refused calls were made %d times", n)
	}
	var results []struct {
		ID    int64
		Error struct{ Code string }
	}
	batch, err := json.Marshal(c.result("send_all", []any{notice, map[string]any{"target": notice["target"], "title": ""}}))
	if err == nil {
		err = json.Unmarshal(batch, &results)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || results[0].ID == 0 || results[1].Error.Code != "invalid" {
		t.Fatalf("a batch: %+v", results)
	}
	c.result("retract", results[0].ID)

	// A question is answered by a user whose token the client signs.
	question := map[string]any{"target": map[string]any{"users": []string{user}}, "title": "Ship it?", "choices": []any{map[string]any{"id": "yes", "label": "Yes", "comment": "optional"}, map[string]any{"id": "no", "label": "No"}}}
	asked := c.object("ask", question)["id"]
	token := fmt.Sprint(c.result("user_token", tokenKey, user, "Ann Archer"))
	answer := fmt.Sprintf(`{"id": %v, "choice": "yes", "comment": "schön"}`, asked)
	answered := make(chan error, 1)
	go func() { answered <- answers(t, p.url, token, answer) }()
	ended := c.object("wait", asked)
	if err := <-answered; err != nil || ended["state"] != "answered" || ended["outcome"] != "yes" {
		t.Fatalf("%v: %v", err, ended)
	}
	keys := c.result("receipt_keys")
	c.gives(fmt.Sprintf(`{"id":%v,"outcome":"yes","choices":["yes","no"]}`, asked), "verify_receipt", ended["receipt"], keys)
	receipt := strings.Split(fmt.Sprint(ended["receipt"]), ".")
	for _, forged := range []string{"", "a.b", receipt[0] + ".e30." + receipt[2], receipt[0] + "." + receipt[1] + ".AAAA", "eyJhbGciOiJub25lIn0." + receipt[1] + ".", strings.Join(receipt, ".") + ".x"} {
		c.gives(`{"invalid":true}`, "verify_receipt", forged, keys)
	}
	c.gives(`{"invalid":true}`, "verify_receipt", ended["receipt"], map[string]any{"keys": []any{}})

	// An open one is withdrawn, even if the first response is lost; an ended one is not.
	open := c.object("ask", question)["id"]
	p.next.Store("cut")
	c.result("withdraw", open)
	c.gives(`{"state":"withdrawn","outcome":null}`, "wait", open)
	c.gives(`{"status":409,"code":"ask_ended"}`, "withdraw", asked)

	verifiesWebhooks(t, c)

	if n, ok := c.object("badge", user)["unread"].(float64); !ok || n < 4 {
		t.Errorf("%v are unread", n)
	}
	p.next.Store("cut")
	c.result("delete_user", user)
	c.result("delete_user", user)
}

// verifiesWebhooks has a client verify messages that the library of Standard Webhooks signs.
func verifiesWebhooks(t *testing.T, c *client) {
	t.Helper()
	const secret, other = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"type":"notice.sent","timestamp":"2026-11-07T00:00:00Z","data":{"notice":123,"words":"Größe"}}`
	message := func(id string, at time.Time) map[string]string {
		signature, err := signer.Sign(id, at, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"Webhook-Id": id, "Webhook-Timestamp": strconv.FormatInt(at.Unix(), 10), "Webhook-Signature": "v1a,x v1,AAAA " + signature}
	}
	good := message("msg_1", time.Now())
	c.gives(`{"type":"notice.sent","data":{"notice":123,"words":"Größe"}}`, "verify_webhook", []string{other, secret}, good, body)
	changed := maps.Clone(good)
	changed["Webhook-Id"] = "msg_2"
	for _, bad := range []struct {
		secrets []string
		headers map[string]string
		body    string
	}{
		{[]string{other}, good, body},
		{[]string{secret}, good, body + " "},
		{[]string{secret}, changed, body},
		{[]string{secret}, map[string]string{"X": "y"}, body},
		{[]string{secret}, message("msg_1", time.Now().Add(-6*time.Minute)), body},
		{[]string{secret}, message("msg_1", time.Now().Add(6*time.Minute)), body},
	} {
		c.gives(`{"invalid":true}`, "verify_webhook", bad.secrets, bad.headers, bad.body)
	}
}

// answers answers a question with the token of a user.
func answers(t *testing.T, base, token, body string) error {
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/api/v1/me/answers", strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := visit(t, "").Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("answering: %s %s, %w", res.Status, text, err)
	}
	return err
}
