package e2e

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alexedwards/argon2id"
)

// person is a user of the pages without a browser, which is fast. Tests prepare their data with it.
type person struct {
	t      *testing.T
	name   string
	base   *url.URL
	jar    *cookiejar.Jar
	client *http.Client

	location string // where the last response redirects to
}

// people adds many users with the same password. Each line is a name, optionally with roles: "ann",
// "zoe staff;picker".
func (s *site) people(lines ...string) {
	s.t.Helper()
	s.peopleOf("user", lines...)
}

// peopleOf adds many users of one audience.
func (s *site) peopleOf(audience string, lines ...string) {
	s.t.Helper()
	hash, err := argon2id.CreateHash(password, &argon2id.Params{Memory: 1024, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("name,password_hash,audience,roles\n")
	for _, line := range lines {
		name, roles, _ := strings.Cut(line, " ")
		b.WriteString(name + ",\"" + hash + "\"," + audience + "," + roles + "\n")
	}
	file := filepath.Join(s.t.TempDir(), "people.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.carillon("", "user", "import", file)
}

// person signs a user in.
func (i *instance) person(t *testing.T, name string) *person {
	t.Helper()
	return i.personBy(t, name, password)
}

func (i *instance) personBy(t *testing.T, name, password string) *person {
	t.Helper()
	base, err := url.Parse(i.url)
	if err != nil {
		t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, name: name, base: base, jar: jar, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	if status, body := p.post("/login", "username", name, "password", password); status != http.StatusSeeOther {
		t.Fatalf("sign in as %s: status %d\n%s", name, status, body)
	}
	return p
}

// post sends a form. fields are names and values in turn.
func (p *person) post(path string, fields ...string) (status int, body string) {
	p.t.Helper()
	values := url.Values{}
	for i := 0; i+1 < len(fields); i += 2 {
		values.Set(fields[i], fields[i+1])
	}
	return p.ask(http.MethodPost, path, strings.NewReader(values.Encode()))
}

func (p *person) get(path string) (status int, body string) {
	p.t.Helper()
	return p.ask(http.MethodGet, path, nil)
}

// leads sends a form as post does, and returns where the response redirects to.
func (p *person) leads(path string, fields ...string) string {
	p.t.Helper()
	status, body := p.post(path, fields...)
	if status != http.StatusSeeOther {
		p.t.Fatalf("POST %s: status %d\n%s", path, status, body)
	}
	return p.location
}

func (p *person) ask(method, path string, form io.Reader) (status int, body string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base.String()+path, form)
	if err != nil {
		p.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := p.client.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	p.location = strings.TrimPrefix(resp.Header.Get("Location"), p.base.Path)
	return resp.StatusCode, string(text)
}

// sends sends a notice with the staff form.
func (p *person) sends(to string, n notice) {
	p.t.Helper()
	link := n.link
	if strings.HasPrefix(link, "/") { // a page of ours
		link = p.base.Path + link
	}
	status, _ := p.post("/staff/send", "target", "user", "to", to, "type", n.typ, "subject", n.subject,
		"title", n.title, "body", n.body, "link", link)
	if status != http.StatusSeeOther {
		p.t.Fatalf("send %q: status %d", n.title, status)
	}
}
