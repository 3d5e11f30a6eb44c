//go:build linux

package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// group is a set of lines that are measured together.
type group struct {
	lines   []string
	what    string
	measure func(w *world, ctx context.Context) ([]row, error)
}

// groups returns all lines in the order of the table. Their numbers are those in
// docs/benchmarks.md.
func groups() []group {
	return []group{
		{[]string{"1", "2"}, "idle streams", (*world).idleStreams},
		{[]string{"3"}, "an announcement to everybody", (*world).announce},
		{[]string{"4"}, "a burst to everybody", (*world).burst},
		{[]string{"5a"}, "one to one", (*world).unicast},
		{[]string{"5b"}, "the whole way", (*world).wholeWay},
		{[]string{"6"}, "deliver scripts", (*world).deliverScripts},
		{[]string{"7"}, "a notice to very many", (*world).manyInboxes},
		{[]string{"8"}, "pages", (*world).pages},
		{[]string{"8b"}, "open scripts", (*world).openScripts},
		{[]string{"9"}, "accepting", (*world).accepting},
		{[]string{"9"}, "accepting over HTTP", (*world).acceptingHTTP},
		{[]string{"10"}, "writing behind", (*world).writeBehind},
		{[]string{"11"}, "announcements at ten million users", (*world).bitmaps},
		{[]string{"12"}, "polling", (*world).polling},
		{[]string{"13"}, "toasts", (*world).toasts},
		{[]string{"14"}, "stalled clients", (*world).stalled},
		{[]string{"15"}, "connecting and leaving", (*world).churn},
		{[]string{"16"}, "memory", (*world).footprint},
		{[]string{"17"}, "cold start", (*world).coldStart},
	}
}

func lineNames() (names []string) {
	for _, g := range groups() {
		names = append(names, g.lines...)
	}
	return names
}

// measure measures the lines that the options choose, in order. After an error it also returns
// the rows measured before.
func measure(ctx context.Context, w *world) (rows []row, err error) {
	all := groups()
	if w.opt.peers {
		all = []group{{[]string{"peers"}, "Carillon and its peers", (*world).peers}}
	}
	for _, g := range all {
		if !w.opt.peers && !slices.ContainsFunc(g.lines, w.opt.wants) {
			continue
		}
		began := time.Now()
		w.log.Info("measuring", "lines", g.lines, "what", g.what)
		got, err := g.measure(w, ctx)
		for _, r := range got {
			if w.opt.wants(r.line) {
				rows = append(rows, r)
			}
		}
		if err != nil {
			return rows, fmt.Errorf("%s (line %s): %w", g.what, g.lines[0], err)
		}
		w.log.Info("measured", "lines", g.lines, "took", time.Since(began).Round(time.Second))
	}
	return rows, nil
}

// series holds one figure for several servers, with one sample per repetition.
type series map[string]samples

func (s series) add(name string, v float64) { s[name] = append(s[name], v) }

// alone returns the series without the bounds.
func (s series) alone() series { return series{ours: s[ours]} }

// ours is the name of Carillon in a series.
const ours = "Carillon"

func (s series) row(line, what, unit string, g goal) row {
	r := row{line: line, what: what, unit: unit, got: s[ours], goal: g}
	for _, name := range []string{"durable", "stdlib", "r3labs", "peer", "redis-benchmark", "net/http"} {
		if v := s[name]; v != nil {
			r.rivals = append(r.rivals, rival{name, v})
		}
	}
	return r
}
