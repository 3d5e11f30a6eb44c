package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/views/markdown"
)

func TestLostNamesLinksAndPicturesThatReadersDoNotGet(t *testing.T) {
	t.Parallel()
	m := markdown.New(hosts, pictures, "")
	for _, test := range []struct {
		body            string
		links, pictures []string
	}{
		{"plain, [fine](/a), <https://" + hosts[0] + "/>", nil, nil},
		{"[a](https://evil.example/x) [b](javascript:alert(1))", []string{"https://evil.example/x", "javascript:alert(1)"}, nil},
		{"![p](https://evil.example/p.png) [![in](/i.png)](/a)", nil, []string{"https://evil.example/p.png", "/i.png"}},
		{"![p](https://cdn.example/p.png) ![q](https://eu.cdn.example/q.png) ![r](http://cdn.example/r.png)", nil, []string{"http://cdn.example/r.png"}},
		{"<http://plain.example/> <a@b.example>", []string{"http://plain.example/", "a@b.example"}, nil},
		{"[a][x]\n\n[x]: //evil.example", []string{"//evil.example"}, nil},
		{"`[code](https://evil.example)`", nil, nil},
	} {
		links, pictures := m.Lost(test.body)
		if diff := cmp.Diff(test.links, links) + cmp.Diff(test.pictures, pictures); diff != "" {
			t.Errorf("%q: %s", test.body, diff)
		}
	}
	if links, _ := m.Lost(strings.Repeat("[a](x:y) ", 500)); len(links) != 100 {
		t.Errorf("of 500 links %d are collected", len(links))
	}
}
