package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// addressed matches an attribute of markup that holds an address, with its value.
	addressed = regexp.MustCompile(`\s(href|src|action|formaction|data-address|data-opened|hx-(?:get|post|put|patch|delete))=(?:"([^"]*)"|\{ ?(.*?) ?\}[\s>/])`)
	// attribute matches the same attributes among templ.Attributes.
	attribute = regexp.MustCompile(`"(?:href|src|action|formaction|hx-(?:get|post|put|patch|delete))": *([^,\n]+)`)
	// location matches a header that sends the browser to an address.
	location = regexp.MustCompile(`Set\("(?:Location|HX-Redirect|HX-Location|HX-Push-Url|Content-Location)", *(.*)\)`)
	// literal matches a path in a script, with the preceding character.
	literal = regexp.MustCompile("(.)[\"'`]/[a-z]")
)

// elsewhere contains the addresses that are not pages of Carillon, or are already complete.
var elsewhere = map[string]bool{
	"p.Link": true, "b.Link": true, "p.URL": true, "app.Icon": true, // of a notice
	`"#" + f.Field`: true, // in this page
	"to":            true, // handlers/follow.go: a link of a notice, or complete
}

func TestEveryAddressIsBelowThePathOfThePublicURL(t *testing.T) {
	t.Parallel()
	for _, path := range found(t, "views/*.templ", "views/components/*.templ") {
		text := read(t, path)
		for _, m := range addressed.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[2], "/") || m[3] != "" && !strings.HasPrefix(m[3], "at(ctx, ") && !elsewhere[m[3]] {
				t.Errorf("%s:%s: wrap the address in at(ctx, …)", path, strings.TrimRight(m[0], "> "))
			}
		}
	}
	for _, path := range found(t, "views/*.go", "views/components/*.go") {
		if strings.HasSuffix(path, "_templ.go") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		for _, m := range attribute.FindAllStringSubmatch(read(t, path), -1) {
			if m[1] != "at(ctx" {
				t.Errorf("%s: %s: wrap the address in at(ctx, …)", path, m[0])
			}
		}
	}
	for _, path := range found(t, "handlers/*.go", "api/*.go") {
		for _, m := range location.FindAllStringSubmatch(read(t, path), -1) {
			if !strings.HasSuffix(path, "_test.go") && !strings.HasPrefix(m[1], "web.At(") && !elsewhere[m[1]] {
				t.Errorf("%s: %s: wrap the address in web.At", path, m[0])
			}
		}
	}
	for _, path := range found(t, "static/js/*.js") {
		text := comments.ReplaceAllString(read(t, path), "")
		for _, m := range literal.FindAllStringSubmatchIndex(text, -1) {
			line := text[strings.LastIndexByte(text[:m[0]], '\n')+1:]
			line, _, _ = strings.Cut(line, "\n")
			if before := text[:m[3]]; !strings.HasSuffix(before, "our(") && !compared.MatchString(line) {
				t.Errorf("%s: %s: wrap the address in our(…)", path, strings.TrimSpace(line))
			}
		}
	}
}

var (
	comments = regexp.MustCompile(`(?m)//.*$|(?s:/\*.*?\*/)`)
	// compared matches a line that compares only the end of an address.
	compared = regexp.MustCompile(`endsWith\(|includes\("/|\$="|"/(?:read|unread|archive|delete)"`)
)

// found lists the files of the repository that match the patterns, relative to its root.
func found(t *testing.T, patterns ...string) []string {
	t.Helper()
	var all []string
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root(t), filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no file matches %s: %v", pattern, err)
		}
		all = append(all, files...)
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
