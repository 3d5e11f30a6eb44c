//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/carillonhq/carillon/bench/bound"
)

func main() {
	// The kernel ends our servers with the thread that started them, so all
	// are started from this one.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options is what the command line chooses.
type options struct {
	lines   []string // none: all
	quick   bool
	repeat  int
	streams int
}

// scaled is a count for a full run, or a small part of it for a quick one.
func (o options) scaled(full int) int {
	if o.quick {
		return max(full/20, 1)
	}
	return full
}

func (o options) wants(line string) bool {
	return len(o.lines) == 0 || slices.Contains(o.lines, line)
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "bound" {
		return runBound(ctx, args[1:])
	}
	opt, err := parse(args)
	if err != nil {
		return err
	}
	tuneLoad()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := raiseFiles(opt.streams + 2_000); err != nil {
		return err
	}
	w, err := newWorld(ctx, opt, log)
	if err != nil {
		return err
	}
	machine := w.describe(ctx)
	rows, err := measure(ctx, w)
	err = errors.Join(err, w.close())
	fmt.Fprintf(os.Stdout, "%s\n\n", machine)
	return errors.Join(printTable(os.Stdout, rows), err)
}

// tuneLoad keeps our own collector and scheduler out of the way of what is
// measured: the reading loops sit in system calls, and spare processors keep
// the rest from waiting for theirs.
func tuneLoad() {
	debug.SetGCPercent(400)
	runtime.GOMAXPROCS(runtime.NumCPU() + 4)
}

func parse(args []string) (options, error) {
	var o options
	var chosen string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&chosen, "lines", "", "which lines, commas between: "+strings.Join(lineNames(), ","))
	f.BoolVar(&o.quick, "quick", false, "a twentieth of it, once: does it run?")
	f.IntVar(&o.repeat, "repeat", 3, "repetitions; the table shows median and range")
	f.IntVar(&o.streams, "streams", 10_000, "connected users")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || o.repeat < 1 || o.streams < 1 {
		return o, fmt.Errorf("wrong arguments: %q (see --help)", args)
	}
	if o.quick {
		o.repeat, o.streams = 1, o.scaled(o.streams)
	}
	for name := range strings.FieldsFuncSeq(chosen, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(lineNames(), name) {
			return o, fmt.Errorf("no line is called %q; there are %s", name, strings.Join(lineNames(), ", "))
		}
		o.lines = append(o.lines, name)
	}
	return o, nil
}

// runBound is this program as one of the servers to measure against.
func runBound(ctx context.Context, args []string) error {
	var cfg bound.Config
	f := flag.NewFlagSet("bench bound", flag.ContinueOnError)
	f.StringVar(&cfg.Kind, "kind", bound.Stdlib, "stdlib or r3labs")
	f.StringVar(&cfg.Addr, "addr", "", "where to listen")
	f.StringVar(&cfg.Redis, "redis", "", "unix socket of the Redis to listen to")
	f.IntVar(&cfg.PageBytes, "page-bytes", 0, "size of the fixed page")
	if err := f.Parse(args); err != nil {
		return err
	}
	return bound.Serve(ctx, cfg)
}
