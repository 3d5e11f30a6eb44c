package e2e

import "testing"

// TestEveryPageIsSoundInBothThemesAndAllWidths opens each page in each of its states on a desk and
// on a phone, and checks it in each theme and width. axe checks it on the desk in the light theme
// and on the phone in the dark one.
func TestEveryPageIsSoundInBothThemesAndAllWidths(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.people["alice"] = nil
	g.inspect(t, "pages", guises, g.views()...)
}
