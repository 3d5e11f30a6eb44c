package e2e

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/carillonhq/carillon/internal/testkit"
)

// agent is a session with `carillon mcp`, by the client of the SDK.
type agent struct {
	*mcp.ClientSession
	t *testing.T
}

func (a *application) mcp() *exec.Cmd {
	cmd := exec.Command(program, "mcp", "--url", a.url)
	cmd.Env = append(os.Environ(), "CARILLON_API_KEY="+a.key)
	return cmd
}

func (a *application) agent() *agent {
	a.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	s, err := client.Connect(a.t.Context(), &mcp.CommandTransport{Command: a.mcp()}, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = s.Close() })
	return &agent{s, a.t}
}

// calls calls a tool, and returns the text of its result; failed reports whether the tool has.
func (a *agent) calls(tool, arguments string) (text string, failed bool) {
	a.t.Helper()
	res, err := a.CallTool(a.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		a.t.Fatal(err)
	}
	return res.Content[0].(*mcp.TextContent).Text, res.IsError
}

// asked is the result of the tool ask, and an answer of GET /asks.
type asked struct {
	ID                      int64
	State, Outcome, Receipt string
	Answers                 []struct{ User, Comment string }
}

// question returns the key of the question that waits for a person; empty: there is none.
func (p *person) question() string {
	p.t.Helper()
	_, body := p.get("/inbox?opened=0")
	key := regexp.MustCompile(`action="/inbox/answer"><input type="hidden" name="key" value="([^"]+)"`).FindStringSubmatch(body)
	if key == nil {
		return ""
	}
	return key[1]
}

const lunch = `"target":{"users":["bob"]},"title":"Lunch?","choices":[{"id":"yes","label":"Yes","comment":"optional"},{"id":"no","label":"No"}]`

func TestAnAgentSendsNoticesAndWaitsForTheDecisionsOfPeople(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob approver")
	i := s.serve()
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "agents", "--scope", "send,admin"))}
	a := host.agent()
	tools, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if schema, _ := json.Marshal(tool.InputSchema); strings.Contains(string(schema), "#/components") || tool.Name != "find_people" && tool.Name != "why" && !strings.Contains(string(schema), `"title":{"description"`) {
			t.Errorf("%s takes %.300s", tool.Name, schema)
		}
	}
	if slices.Sort(names); !slices.Equal(names, []string{"ask", "find_people", "notify", "why"}) {
		t.Errorf("the tools are %v", names)
	}
	if found, failed := a.calls("find_people", `{"q":"bo"}`); failed || !strings.Contains(found, `"bob"`) {
		t.Errorf("people: %s", found)
	}
	sent, failed := a.calls("notify", `{"target":{"role":"approver"},"title":"Hello"}`)
	if failed || !strings.Contains(sent, `"state":"accepted"`) {
		t.Errorf("notify: %s", sent)
	}
	var hello asked
	if err := json.Unmarshal([]byte(sent), &hello); err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "the agent finds out why bob got it", func() bool {
		text, failed := a.calls("why", `{"notice":`+strconv.FormatInt(hello.ID, 10)+`,"user":"bob"}`)
		return !failed && strings.Contains(text, `"got":true,"code":"role","why":"bob got it on `) && strings.Contains(text, "as a member of the group approver.")
	})
	if text, failed := a.calls("why", `{"notice":9999,"user":"bob"}`); !failed || !strings.Contains(text, "404") {
		t.Errorf("why of an unknown notice: %s", text)
	}
	for arguments, want := range map[string]string{
		`{"target":{"users":["bob"]}}`:                    "title",
		`{"target":{"users":["nobody"]},"title":"Hello"}`: "nobody",
		`{"target":{"users":["bob"]},"tilte":"Hello"}`:    "did you mean title?",
	} {
		if text, failed := a.calls("notify", arguments); !failed || !strings.Contains(text, want) {
			t.Errorf("%s: %s", arguments, text)
		}
	}

	bob := i.person(t, "bob")
	answers := func(choice string) {
		testkit.Eventually(t, "bob is asked", func() bool {
			key := bob.question()
			if key == "" {
				return false
			}
			status, _ := bob.post("/inbox/answer", "key", key, "choice", choice, "comment", "")
			return status == http.StatusSeeOther
		})
	}
	done := make(chan string)
	go func() {
		text, _ := a.calls("ask", `{`+lunch+`}`)
		done <- text
	}()
	answers("yes")
	var got asked
	if text := <-done; json.Unmarshal([]byte(text), &got) != nil || got.State != "answered" || got.Outcome != "yes" || got.Receipt == "" || len(got.Answers) != 1 || got.Answers[0].User != "bob" {
		t.Errorf("the decision: %s", text)
	}
	id := strconv.FormatInt(got.ID, 10)
	if text, failed := a.calls("ask", `{"id":`+id+`}`); failed || !strings.Contains(text, `"outcome":"yes"`) {
		t.Errorf("the same question: %s", text)
	}
	if text, failed := a.calls("ask", `{"id":`+id+`,"title":"x"}`); !failed || !strings.Contains(text, "leave out the other fields") {
		t.Errorf("an id with a question: %s", text)
	}
	if text, _ := a.calls("ask", `{`+lunch+`,"expires_in":"1s","otherwise":"no"}`); !strings.Contains(text, `"state":"expired"`) || !strings.Contains(text, `"outcome":"no"`) {
		t.Errorf("nobody has answered: %s", text)
	}
}

func TestAQuestionThatNoAgentWaitsForAnyMoreIsWithdrawn(t *testing.T) {
	t.Parallel()
	s := alone(t)
	s.people("bob approver")
	i := s.serve()
	host := &application{t, i.url, strings.TrimSpace(s.carillon("", "key", "add", "agents", "--scope", "send"))}
	open := func() (ids []int64) {
		var list struct{ Asks []asked }
		if err := json.Unmarshal(host.call(http.MethodGet, "/asks?state=open", ""), &list); err != nil {
			t.Fatal(err)
		}
		for _, q := range list.Asks {
			ids = append(ids, q.ID)
		}
		return ids
	}
	a := host.agent()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := a.CallTool(ctx, &mcp.CallToolParams{Name: "ask", Arguments: json.RawMessage(`{` + lunch + `}`)})
		done <- err
	}()
	testkit.Eventually(t, "bob is asked", func() bool { return len(open()) == 1 })
	cancel()
	if err := <-done; err == nil {
		t.Error("a cancelled call has a result")
	}
	testkit.Eventually(t, "the question of a cancelled call is withdrawn", func() bool { return len(open()) == 0 })

	// An agent that leaves cancels nothing.
	for name, leaves := range map[string]func(*exec.Cmd, io.Closer) error{
		"the agent ends":      func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"the program is told": func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
	} {
		cmd := host.mcp()
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err == nil {
			_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`+"\n"+
				`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{`+lunch+`}}}`+"\n")
		}
		if err != nil {
			t.Fatal(err)
		}
		testkit.Eventually(t, name+": bob is asked", func() bool { return len(open()) == 1 })
		if err := leaves(cmd, in); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if left := open(); len(left) > 0 {
			t.Errorf("%s: the questions %v are open", name, left)
		}
	}
}
