package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
)

type point struct{ x, y float64 }

func (p point) plus(q point) point            { return point{p.x + q.x, p.y + q.y} }
func (p point) minus(q point) point           { return point{p.x - q.x, p.y - q.y} }
func (p point) times(n float64) point         { return point{p.x * n, p.y * n} }
func (p point) length() float64               { return math.Hypot(p.x, p.y) }
func between(p, q point, share float64) point { return p.plus(q.minus(p).times(share)) }
func onCircle(center point, r, a float64) point {
	return point{center.x + r*math.Cos(a), center.y + r*math.Sin(a)}
}

// line is a straight line from a point to another.
type line struct{ from, to point }

// distance returns how far a point is from the line.
func (l line) distance(p point) float64 {
	along, to := l.to.minus(l.from), p.minus(l.from)
	length := along.x*along.x + along.y*along.y
	if length == 0 {
		return to.length()
	}
	share := min(max((along.x*to.x+along.y*to.y)/length, 0), 1)
	return to.minus(along.times(share)).length()
}

// steps are how many lines stand for a curve.
const steps = 24

var tokens = regexp.MustCompile(`[A-Za-z]|-?(?:\d+\.?\d*|\.\d+)`)

// arguments are how many numbers follow the commands that the outline of the bell is made of.
var arguments = map[string]int{"M": 2, "h": 1, "c": 6, "C": 6, "a": 7, "A": 7}

// flatten returns the lines of an SVG path of the commands M, h, C and A, of which A has circles only.
func flatten(path string) (lines []line, err error) {
	words := tokens.FindAllString(path, -1)
	var at point
	var command string
	for i := 0; i < len(words); {
		n, isCommand := arguments[words[i]]
		if isCommand {
			command = words[i]
			i++
		} else {
			n = arguments[command]
		}
		if n == 0 || i+n > len(words) {
			return nil, fmt.Errorf("unknown command %s", words[i:])
		}
		args := make([]float64, n)
		for k := range args {
			if args[k], err = strconv.ParseFloat(words[i+k], 64); err != nil {
				return nil, err
			}
		}
		i += n
		var from point // what coordinates are relative to
		if command == "c" || command == "a" {
			from = at
		}
		curve := []point{at}
		switch command {
		case "M":
			at = point{args[0], args[1]}
			continue
		case "h":
			curve = append(curve, at.plus(point{args[0], 0}))
		case "c", "C":
			curve = bezier(at, from.plus(point{args[0], args[1]}), from.plus(point{args[2], args[3]}), from.plus(point{args[4], args[5]}))
		case "a", "A":
			curve = arc(at, from.plus(point{args[5], args[6]}), args[0], args[3] == 1, args[4] == 1)
		}
		for k := range curve[1:] {
			lines = append(lines, line{curve[k], curve[k+1]})
		}
		at = curve[len(curve)-1]
	}
	return lines, nil
}

func bezier(a, b, c, d point) (curve []point) {
	for i := range steps + 1 {
		t := float64(i) / steps
		ab, bc, cd := between(a, b, t), between(b, c, t), between(c, d, t)
		curve = append(curve, between(between(ab, bc, t), between(bc, cd, t), t))
	}
	return curve
}

// arc returns points of the circle of this radius through two points, on the long way or the short one.
func arc(from, to point, r float64, long, clockwise bool) (curve []point) {
	half := to.minus(from).times(0.5)
	r = max(r, half.length())
	off := math.Sqrt(max(r*r-half.length()*half.length(), 0)) / half.length()
	if long == clockwise {
		off = -off
	}
	center := from.plus(half).plus(point{-half.y, half.x}.times(off))
	begin := math.Atan2(from.y-center.y, from.x-center.x)
	turn := math.Atan2(to.y-center.y, to.x-center.x) - begin
	if clockwise && turn < 0 {
		turn += 2 * math.Pi
	}
	if !clockwise && turn > 0 {
		turn -= 2 * math.Pi
	}
	for i := range steps + 1 {
		curve = append(curve, onCircle(center, r, begin+turn*float64(i)/steps))
	}
	return curve
}
