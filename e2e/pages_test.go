package e2e

import "testing"

// TestEveryPageIsSoundInBothThemesAndAllWidths opens each page in each of its
// states at a desk and on a phone, and looks at it in each theme and width, with
// axe at a desk in the light and on a phone in the dark.
func TestEveryPageIsSoundInBothThemesAndAllWidths(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.people["alice"] = nil
	g.inspect(t, "pages", guises, g.views()...)
}
