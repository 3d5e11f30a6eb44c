package api

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestXMLIsSentToClientsThatPreferIt(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":                                  false,
		"*/*":                               false,
		"application/json":                  false,
		"application/xml":                   true,
		"text/xml":                          true,
		"Application/XML ; charset=utf-8":   true,
		"application/xml, application/json": false,
		"application/xml, application/json;q=0.9":                         true,
		"application/xml;q=0.9, application/json":                         false,
		"application/xml;q=0, */*":                                        false,
		"application/json;q=0, */*":                                       true,
		"application/*":                                                   false,
		"application/*, application/json;q=0.1":                           true,
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true,
		"application/xml;q=two":                                           false,
		"application/xml;q=NaN":                                           false,
		"application/xml;q=-1":                                            false,
		"application/xml;q=1.5":                                           false,
		"image/png":                                                       false,
		";;;,,,q=1":                                                       false,
		"application/xml; Q = 0.2":                                        true,
	} {
		if got := prefersXML(accept); got != want {
			t.Errorf("%q: %v", accept, got)
		}
	}
}

func TestAWeightIsBetweenZeroAndOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(q=)?[-+.0-9eEnaNIif; =q]{0,12}`).Draw(t, "params")
		if q := weight(text); math.IsNaN(q) || q < 0 || q > 1 {
			t.Errorf("%q: %v", text, q)
		}
	})
}
