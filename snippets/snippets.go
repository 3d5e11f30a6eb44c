// Package snippets contains the code that a host application copies: for each stack the endpoint that signs the token
// of its user, and the HTML of the bell. The tests run each one where its language is installed.
package snippets

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed *.py *.rb *.php *.js *.java *.ex *.html go/carillon.go
var files embed.FS

// Stack is a framework of web applications.
type Stack struct {
	Slug, Name string
	File       string
}

// Stacks lists the frameworks that have a snippet.
func Stacks() []Stack {
	return []Stack{
		{"django", "Django", "django.py"},
		{"flask", "Flask", "flask.py"},
		{"rails", "Rails", "rails.rb"},
		{"laravel", "Laravel", "laravel.php"},
		{"express", "Express", "express.js"},
		{"next", "Next.js", "next.js"},
		{"spring", "Spring", "CarillonController.java"},
		{"phoenix", "Phoenix", "phoenix.ex"},
		{"go", "Go", "go/carillon.go"},
	}
}

// Slugs lists the slugs of all stacks.
func Slugs() []string {
	var slugs []string
	for _, s := range Stacks() {
		slugs = append(slugs, s.Slug)
	}
	return slugs
}

// Signing is how the tokens of an application are signed.
type Signing int

// Ways of signing.
const (
	SharedSecret  Signing = iota // by CARILLON_TOKEN_KEY
	PublicKey                    // by a private key of the application, whose public key Carillon has
	KeysElsewhere                // by a private key whose public key is at the address of its JWKS
)

// changes describes what the application must change in an endpoint, which signs with the shared secret.
var changes = map[Signing]string{
	PublicKey:     "Your application signs with its own private key: use that key and its algorithm (ES256, EdDSA or RS256)\ninstead of HS256, and the text of CARILLON_TOKEN_KEY as the kid.",
	KeysElsewhere: "Your application signs with its own private key: use that key and its algorithm (ES256, EdDSA or RS256)\ninstead of HS256, its kid from the JWKS, and add the claim iss with the text of --issuer.",
}

// Endpoint returns the endpoint for the stack with this slug. It reads the key from the variable CARILLON_TOKEN_KEY;
// for other ways of signing its first lines describe the changes.
func Endpoint(slug string, by Signing) (string, error) {
	all := Stacks()
	i := slices.IndexFunc(all, func(s Stack) bool { return s.Slug == slug })
	if i < 0 {
		return "", fmt.Errorf("there is no snippet for %q", slug)
	}
	text, err := read(all[i].File)
	if change := changes[by]; change != "" && err == nil {
		mark := "// "
		if strings.HasPrefix(text, "#") {
			mark = "# "
		}
		const php = "<?php\n"
		begin := strings.HasPrefix(text, php)
		text = mark + strings.ReplaceAll(change, "\n", "\n"+mark) + "\n\n" + strings.TrimPrefix(text, php)
		if begin {
			text = php + text
		}
	}
	return text, err
}

// placeholder is the address of Carillon in bell.html.
const placeholder = "https://notices.example.com"

// HTML returns the two lines that show the bell of a Carillon at publicURL.
func HTML(publicURL string) (string, error) {
	text, err := read("bell.html")
	return strings.ReplaceAll(text, placeholder, strings.TrimSuffix(publicURL, "/")), err
}

func read(name string) (string, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read a snippet: %w", err)
	}
	return string(text), nil
}
