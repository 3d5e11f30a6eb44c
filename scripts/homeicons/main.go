// Command homeicons draws the icons that phones show on their home screen, from the outline of the bell:
// iPhones do not support SVG. `make generate` runs it.
package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
)

const folder = "static/icons"

// icon is one file. The bell's box of 24 units uses this part of its width; systems cut the
// corners off, and of a maskable icon all but the inner circle, four fifths as wide.
type icon struct {
	name string
	size int // pixels
	part float64
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "homeicons: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	text, err := os.ReadFile(filepath.Join(folder, "bell.svg"))
	if err != nil {
		return err
	}
	var lines []line
	for _, d := range regexp.MustCompile(` d="([^"]*)"`).FindAllSubmatch(text, -1) {
		some, err := flatten(string(d[1]))
		if err != nil {
			return fmt.Errorf("read the path %s: %w", d[1], err)
		}
		lines = append(lines, some...)
	}
	for _, i := range []icon{{"home-180.png", 180, 0.7}, {"home-192.png", 192, 0.75}, {"home-512.png", 512, 0.75}, {"maskable-512.png", 512, 0.6}} {
		var file bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&file, i.draw(lines)); err != nil {
			return fmt.Errorf("encode %s: %w", i.name, err)
		}
		if err := os.WriteFile(filepath.Join(folder, i.name), file.Bytes(), 0o644); err != nil { //nolint:gosec // a source file, which everybody may read
			return err
		}
	}
	return nil
}

// shades are how many colours there are from the ground to the bell: a palette of 16 makes small files.
const shades = 16

func palette() (all color.Palette) {
	ground, bell := color.RGBA{0x9a, 0x64, 0x20, 255}, color.RGBA{255, 255, 255, 255}
	mix := func(a, b uint8, i int) uint8 { return uint8((int(a)*(shades-1-i) + int(b)*i) / (shades - 1)) } //nolint:gosec // between a and b
	for i := range shades {
		all = append(all, color.RGBA{mix(ground.R, bell.R, i), mix(ground.G, bell.G, i), mix(ground.B, bell.B, i), 255})
	}
	return all
}

// draw strokes the lines two units wide, with round ends and joints: everything within one unit of a line
// belongs to the bell.
func (i icon) draw(lines []line) image.Image {
	picture := image.NewPaletted(image.Rect(0, 0, i.size, i.size), palette())
	scale := i.part * float64(i.size) / 24 // pixels a unit
	for y := range i.size {
		for x := range i.size {
			at := point{(float64(x) + 0.5 - float64(i.size)/2) / scale, (float64(y) + 0.5 - float64(i.size)/2) / scale}
			near := math.Inf(1)
			for _, l := range lines {
				near = min(near, l.distance(point{at.x + 12, at.y + 12}))
			}
			covered := min(max((1-near)*scale+0.5, 0), 1)
			picture.SetColorIndex(x, y, uint8(math.Round(covered*(shades-1))))
		}
	}
	return picture
}
