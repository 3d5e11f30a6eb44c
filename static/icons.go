package static

import "regexp"

var symbol = regexp.MustCompile(`<symbol id="([a-z0-9-]+)" viewBox="0 0 24 24"><path d="([^"]+)" /></symbol>`)

// Icons returns the SVG path data of each icon by its name. They are 24 by 24, drawn with strokes.
func Icons() map[string]string {
	sprite, _ := embedded.ReadFile("icons/sprite.svg") // it is part of the program
	icons := map[string]string{}
	for _, found := range symbol.FindAllSubmatch(sprite, -1) {
		icons[string(found[1])] = string(found[2])
	}
	return icons
}
