package e2e

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"
)

// reel is a moving picture of two windows side by side, in testdata/reel.html.
type reel struct {
	t           *testing.T
	left, right *window
	frame       *window // shows both
	images      []*image.NRGBA
	delays      []int
}

const reelScale = 1.5

// newReel gives both windows the size that they have in the picture.
func newReel(t *testing.T, left, right *window) *reel {
	t.Helper()
	file, err := filepath.Abs("testdata/reel.html")
	if err != nil {
		t.Fatal(err)
	}
	r := &reel{t: t, left: left, right: right, frame: left.tab()}
	for _, w := range []*window{left, right} {
		w.scaled(560, 660, reelScale, false)
		w.media("", "prefers-color-scheme", "light")
	}
	r.frame.scaled(1184, 738, reelScale, false)
	r.frame.do(chromedp.Navigate("file://" + file))
	return r
}

// takes adds a frame that is shown for some hundredths of a second.
func (r *reel) takes(hundredths int) *reel {
	r.t.Helper()
	for side, w := range map[string]*window{"left": r.left, "right": r.right} {
		ask[any](r.frame, fmt.Sprintf(`(image => { image.src = %q; return image.decode(); })(document.getElementById(%q))`,
			"data:image/png;base64,"+base64.StdEncoding.EncodeToString(w.png()), side))
	}
	decoded, err := png.Decode(bytes.NewReader(r.frame.png()))
	if err != nil {
		r.t.Fatal(err)
	}
	shown := image.NewNRGBA(decoded.Bounds())
	draw.Draw(shown, shown.Rect, decoded, image.Point{}, draw.Src)
	r.images, r.delays = append(r.images, shown), append(r.delays, hundredths)
	return r
}

// points moves the pointer to an element of the window on this side; the element is an expression.
func (r *reel) points(side, element string) *reel {
	r.t.Helper()
	w := map[string]*window{"left": r.left, "right": r.right}[side]
	at := ask[[]float64](w, fmt.Sprintf(`(b => [b.x + b.width / 2, b.y + b.height / 2])((%s).getBoundingClientRect())`, element))
	r.frame.script(fmt.Sprintf(`(b => { pointer.removeAttribute("hidden"); pointer.style.left = b.x + %f + "px"; pointer.style.top = b.y + %f + "px"; })(document.getElementById(%q).getBoundingClientRect())`, at[0], at[1], side))
	return r
}

// still is the last frame as a picture that does not move.
func (r *reel) still(name string) {
	r.t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, r.images[len(r.images)-1]); err != nil {
		r.t.Fatal(err)
	}
	r.writes(name+".png", b.Bytes())
}

// moving writes all frames, again and again.
func (r *reel) moving(name string) {
	r.t.Helper()
	palette := commonest(r.images)
	nearest := map[color.NRGBA]uint8{}
	film := gif.GIF{Delay: r.delays}
	for n, shown := range r.images {
		frame := image.NewPaletted(shown.Rect, palette)
		for at := 0; at < len(shown.Pix); at += 4 {
			c := [4]uint8(shown.Pix[at:])
			if n > 0 && c == [4]uint8(r.images[n-1].Pix[at:]) {
				continue // transparent: the frame before shows through
			}
			key := color.NRGBA{c[0], c[1], c[2], c[3]}
			index, known := nearest[key]
			if !known {
				index = uint8(palette[1:].Index(key) + 1)
				nearest[key] = index
			}
			frame.Pix[at/4] = index
		}
		film.Image, film.Disposal = append(film.Image, frame), append(film.Disposal, gif.DisposalNone)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, &film); err != nil {
		r.t.Fatal(err)
	}
	r.writes(name+".gif", b.Bytes())
}

// commonest is a palette of transparency and the most frequent colours of the pictures.
func commonest(images []*image.NRGBA) color.Palette {
	count := map[color.NRGBA]int{}
	for _, shown := range images {
		for at := 0; at < len(shown.Pix); at += 4 {
			count[color.NRGBA{shown.Pix[at], shown.Pix[at+1], shown.Pix[at+2], shown.Pix[at+3]}]++
		}
	}
	colors := slices.SortedFunc(maps.Keys(count), func(a, b color.NRGBA) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B}))
	})
	palette := color.Palette{color.Transparent}
	for _, c := range colors[:min(255, len(colors))] {
		palette = append(palette, c)
	}
	return palette
}

func (r *reel) writes(name string, picture []byte) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(*pictures, name), picture, 0o644); err != nil {
		r.t.Fatal(err)
	}
}
