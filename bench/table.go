//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// samples are the values of one figure, one per repetition.
type samples []float64

func (s samples) median() float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	if n := len(sorted); n%2 == 0 {
		return (sorted[n/2-1] + sorted[n/2]) / 2
	}
	return sorted[len(sorted)/2]
}

func (s samples) mean() float64 {
	sum := 0.0
	for _, v := range s {
		sum += v
	}
	return sum / float64(max(len(s), 1))
}

// String returns the median, and the range if the values differ.
func (s samples) String() string {
	if len(s) == 0 {
		return "–"
	}
	lo, hi := short(slices.Min(s)), short(slices.Max(s))
	if lo == hi {
		return lo
	}
	return fmt.Sprintf("%s (%s–%s)", short(s.median()), lo, hi)
}

// short formats a number with at least three digits: 0.28, 18.9, 185, 18,000.
func short(v float64) string {
	switch {
	case v == float64(int64(v)) && v < 1000:
		return strconv.FormatInt(int64(v), 10)
	case v < 10:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 100:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	digits := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// rival is the result of a bound in the same run.
type rival struct {
	name string
	got  samples
}

// goal is the figure to reach. Medians are compared with it.
type goal struct {
	text string
	met  func(r *row) bool
}

func atMost(limit float64) goal {
	return goal{"≤ " + short(limit), func(r *row) bool { return r.got.median() <= limit }}
}

func atLeast(limit float64) goal {
	return goal{"≥ " + short(limit), func(r *row) bool { return r.got.median() >= limit }}
}

// never is the goal for events that must not happen in any repetition, whatever the median.
func never() goal {
	return goal{"0", func(r *row) bool { return len(r.got) > 0 && slices.Max(r.got) == 0 }}
}

// shown is the goal of a row that only explains another row.
func shown() goal { return goal{} }

func below(name string) goal {
	return goal{"below " + name, func(r *row) bool { return r.got.median() < r.rival(name) }}
}

func atLeastOf(share float64, name string) goal {
	return goal{fmt.Sprintf("≥ %s × %s", short(share), name), func(r *row) bool { return r.got.median() >= share*r.rival(name) }}
}

func atMostOf(share float64, name string) goal {
	return goal{fmt.Sprintf("≤ %s × %s", short(share), name), func(r *row) bool { return r.got.median() <= share*r.rival(name) }}
}

func both(a, b goal) goal {
	return goal{a.text + ", " + b.text, func(r *row) bool { return a.met(r) && b.met(r) }}
}

// row is one line of the table.
type row struct {
	line   string // the number in docs/benchmarks.md
	what   string
	unit   string
	got    samples
	rivals []rival
	goal   goal
}

func (r *row) rival(name string) float64 {
	for _, v := range r.rivals {
		if v.name == name {
			return v.got.median()
		}
	}
	return 0
}

func (r *row) verdict() string {
	switch {
	case r.goal.met == nil:
		return ""
	case len(r.got) == 0:
		return "not measured"
	case r.goal.met(r):
		return "pass"
	}
	return "**short**"
}

func printTable(w io.Writer, rows []row) error {
	var b strings.Builder
	b.WriteString("| # | what | unit | Carillon | bound beside it | to reach | |\n|---|---|---|---|---|---|---|\n")
	for i := range rows {
		r := &rows[i]
		bounds := make([]string, len(r.rivals))
		for j, v := range r.rivals {
			bounds[j] = v.name + " " + v.got.String()
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n",
			r.line, r.what, r.unit, r.got, strings.Join(bounds, "; "), r.goal.text, r.verdict())
	}
	_, err := io.WriteString(w, b.String())
	return err
}
