package api

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed" // the page and its style sheet
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/carillonhq/carillon/internal/web"
	"github.com/carillonhq/carillon/static"
)

const docsPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsCSS []byte
)

// host matches the Host headers that may appear in a command.
var host = regexp.MustCompile(`\A[A-Za-z0-9.:\[\]-]{1,255}\z`)

// docs is the reference page. Only the address at the start of its commands depends on the
// request.
type docs struct {
	page *template.Template
	props
}

type props struct {
	At                  func(path string) string
	Prefix, Icon, Style string
	Rate                int
	Groups              []docsGroup
}

// addPages adds the reference page for people and the OpenAPI document for programs.
func (s *server) addPages() error {
	files, err := static.New()
	if err != nil {
		return err
	}
	d := docs{props: props{Prefix: prefix, Icon: files.Path("icons/bell.svg"), Style: files.Path("css/app.css"), Rate: s.Rate}}
	if d.page, err = template.New("docs").Parse(docsHTML); err != nil {
		return err
	}
	s.forgetPatterns()
	addCodes(s.api.OpenAPI().Components.Schemas.Map())
	asJSON, err := s.documentJSON()
	if err != nil {
		return err
	}
	asYAML, err := s.api.OpenAPI().YAML()
	if err != nil {
		return fmt.Errorf("write the document: %w", err)
	}
	s.mux.HandleFunc("GET "+prefix+"/openapi.json", fixed("application/openapi+json", asJSON))
	s.mux.HandleFunc("GET "+prefix+"/openapi.yaml", fixed("application/openapi+yaml", asYAML))
	if s.Receipts != nil {
		public, err := s.Receipts.Public()
		if err != nil {
			return fmt.Errorf("write the keys of receipts: %w", err)
		}
		s.mux.HandleFunc("GET "+prefix+"/receipts/jwks.json", fixed("application/jwk-set+json", public))
	}
	s.mux.HandleFunc("GET "+prefix+"/docs.css", fixed("text/css; charset=utf-8", docsCSS))
	s.mux.HandleFunc("GET "+prefix+"/docs", func(w http.ResponseWriter, r *http.Request) { s.docs(w, r, &d) })
	s.mux.HandleFunc("GET "+prefix+"/{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", web.At(r.Context(), prefix+"/docs"))
		w.WriteHeader(http.StatusSeeOther)
	})
	return nil
}

// fixed serves a body that never changes while the program runs.
func fixed(kind string, body []byte) http.HandlerFunc {
	sum := sha256.Sum256(body)
	etag := `"` + hex.EncodeToString(sum[:8]) + `"`
	return func(w http.ResponseWriter, r *http.Request) {
		head := w.Header()
		head.Set("Cache-Control", "no-cache")
		head.Set("Etag", etag)
		if strings.Contains(r.Header.Get("If-None-Match"), etag) {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		head.Set("Content-Type", kind)
		head.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // the client may have gone
	}
}

func (s *server) docs(w http.ResponseWriter, r *http.Request, d *docs) {
	p := d.props
	below := web.Base(r.Context())
	p.At = func(path string) string { return below + path }
	p.Groups = s.groups(s.base(r))
	var b bytes.Buffer
	if err := d.page.Execute(&b, p); err != nil {
		panic(fmt.Errorf("render the page of the api: %w", err)) // the middleware answers and logs it
	}
	head := w.Header()
	head.Set("Content-Security-Policy", docsPolicy)
	head.Set("Referrer-Policy", "same-origin")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Length", strconv.Itoa(b.Len()))
	_, _ = w.Write(b.Bytes()) // the client may have gone
}

// base returns the scheme and host at the start of the commands on the page.
func (s *server) base(r *http.Request) string {
	switch {
	case s.PublicURL != "":
		return strings.TrimSuffix(s.PublicURL, "/")
	case !host.MatchString(r.Host):
		return "http://localhost:8080"
	case r.TLS != nil:
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// groups lists all calls under their headings, as the page shows them.
func (s *server) groups(base string) []docsGroup {
	var all []docsGroup
	for _, c := range s.calls {
		i := slices.IndexFunc(all, func(g docsGroup) bool { return g.Name == c.group })
		if i < 0 {
			i = len(all)
			all = append(all, docsGroup{ID: strings.ToLower(c.group), Name: c.group})
		}
		all[i].Calls = append(all[i].Calls, s.docsCall(c, base))
	}
	slices.SortStableFunc(all, func(a, b docsGroup) int {
		// Sending comes first.
		return cmp.Compare(b2i(a.Name != groupNotices), b2i(b.Name != groupNotices))
	})
	return all
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
