package static

import (
	"regexp"
	"testing"
)

func TestEveryIconOfTheSpriteIsOnePath(t *testing.T) {
	t.Parallel()
	sprite, err := embedded.ReadFile("icons/sprite.svg")
	if err != nil {
		t.Fatal(err)
	}
	icons := Icons()
	if symbols := regexp.MustCompile("<symbol ").FindAll(sprite, -1); len(symbols) == 0 || len(icons) != len(symbols) {
		t.Errorf("%d of %d symbols are icons", len(icons), len(symbols))
	}
	for name, path := range icons {
		if path[0] != 'M' || regexp.MustCompile("NaN|undefined").MatchString(path) {
			t.Errorf("%s is %s", name, path)
		}
	}
}
