//go:build linux

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// growthOptions contains the sizes at which the growth of cost is measured. Each kind may be omitted.
type growthOptions struct {
	kinds                           []string // empty: the growth is not measured
	databases                       []string
	notices, users, entries, stream []int
}

// growthKinds returns the kinds of growth, in the order of the tables.
func growthKinds() []string { return []string{"notices", "users", "entries", "streams"} }

// curve is one figure at growing sizes.
type curve struct {
	what, unit string
	at         map[int]samples
}

// curves are figures measured at the same sizes.
type curves struct {
	kind  string
	sizes []int
	list  []*curve
}

func (c *curves) add(what, unit string, size int, v float64) {
	i := slices.IndexFunc(c.list, func(have *curve) bool { return have.what == what })
	if i < 0 {
		i, c.list = len(c.list), append(c.list, &curve{what, unit, map[int]samples{}})
	}
	at := c.list[i].at
	at[size] = append(at[size], v)
}

// took adds the duration of do, in ms.
func (c *curves) took(what string, size int, do func() error) error {
	began := time.Now()
	err := do()
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	c.add(what, "ms", size, float64(time.Since(began))/float64(time.Millisecond))
	return nil
}

// print prints a table with a column for each size.
func (c *curves) print(out io.Writer) error {
	var b strings.Builder
	b.WriteString("| " + c.kind + " | unit |")
	for _, size := range c.sizes {
		b.WriteString(" " + short(float64(size)) + " |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(c.sizes)) + "\n")
	for _, one := range c.list {
		b.WriteString("| " + one.what + " | " + one.unit + " |")
		for _, size := range c.sizes {
			b.WriteString(" " + one.at[size].String() + " |")
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String()+"\n")
	return err
}

// growth measures how cost grows and prints a table for each kind.
func (w *world) growth(ctx context.Context, out io.Writer) error {
	g := w.opt.growth
	for _, kind := range growthKinds() {
		if !slices.Contains(g.kinds, kind) {
			continue
		}
		var err error
		c := &curves{kind: kind}
		w.log.Info("measuring", "growth", kind)
		for range w.opt.repeat {
			switch kind {
			case "notices":
				c.sizes = g.notices
				err = w.growNotices(ctx, c)
			case "users":
				c.sizes = g.users
				err = w.growUsers(ctx, c)
			case "entries":
				c.sizes = g.entries
				err = w.growEntries(ctx, c)
			case "streams":
				c.sizes = g.stream
				err = w.growStreams(ctx, c)
			}
			if err != nil {
				break
			}
		}
		if printErr := c.print(out); printErr != nil {
			return printErr
		}
		if err != nil {
			return fmt.Errorf("grow %s: %w", kind, err)
		}
	}
	return nil
}

// sizes reads a list of sizes, in ascending order.
type sizes []int

// String returns the list.
func (s *sizes) String() string { return fmt.Sprint([]int(*s)) }

// Set reads the list.
func (s *sizes) Set(list string) error {
	*s = nil
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a size", text)
		}
		*s = append(*s, n)
	}
	slices.Sort(*s)
	return nil
}
