package e2e

import "testing"

// TestEveryPageIsSoundInBothThemesAndAllWidths opens each page in each of its states and checks it
// in each theme and width.
func TestEveryPageIsSoundInBothThemesAndAllWidths(t *testing.T) {
	t.Parallel()
	g := openGallery(t)
	g.people["alice"] = nil
	g.inspect(t, "pages", g.views()...)
}
