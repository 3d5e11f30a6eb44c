package notifier_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

func TestOriginIsWhatBrowsersSend(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://shop.example.com":       "https://shop.example.com",
		"https://Shop.Example.com:443/":  "https://shop.example.com",
		"http://localhost:3000":          "http://localhost:3000",
		"http://shop.example.com:80":     "http://shop.example.com",
		"http://[::1]:8080":              "http://[::1]:8080",
		"https://xn--bcher-kva.example":  "https://xn--bcher-kva.example",
		"":                               "",
		"*":                              "",
		"null":                           "",
		"shop.example.com":               "",
		"//shop.example.com":             "",
		"https://":                       "",
		"https://shop.example.com/path":  "",
		"https://shop.example.com?":      "",
		"https://shop.example.com#x":     "",
		"https://me@shop.example.com":    "",
		"https://*.example.com":          "",
		"https://bücher.example":         "",
		"https://shop.example.com:0":     "",
		"https://shop.example.com:99999": "",
		"https://shop.example.com:":      "https://shop.example.com",
		"ftp://shop.example.com":         "",
		"javascript:alert(1)":            "",
		"https://shop example.com":       "",
	} {
		if got, ok := notifier.Origin(text); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, ok, want)
		}
	}
}
