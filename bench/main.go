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
	"github.com/carillonhq/carillon/bench/durable"
)

func main() {
	// The kernel ends the servers with the thread that started them, so this one starts all of
	// them.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options contains the flags of the command line.
type options struct {
	lines   []string // empty: all
	quick   bool
	repeat  int
	streams int
	peers   bool   // compare with peers, instead of the lines
	peer    string // another program to measure
	growth  growthOptions
}

// scaled returns full, or a twentieth of it for a quick run.
func (o options) scaled(full int) int {
	if o.quick {
		return max(full/20, 1)
	}
	return full
}

// mostStreams returns the maximum number of open streams.
func (o options) mostStreams() int {
	if slices.Contains(o.growth.kinds, "streams") {
		return max(o.streams, slices.Max(append(o.growth.stream, 0)))
	}
	return o.streams
}

func (o options) wants(line string) bool {
	return len(o.lines) == 0 || slices.Contains(o.lines, line)
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "bound" {
		return runBound(ctx, args[1:])
	}
	if len(args) > 0 && args[0] == durablePeer {
		return runDurable(ctx, args[1:])
	}
	opt, err := parse(args)
	if err != nil {
		return err
	}
	tuneLoad()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := raiseFiles(opt.mostStreams() + 2_000); err != nil {
		return err
	}
	w, err := newWorld(ctx, opt, log)
	if err != nil {
		return err
	}
	machine := w.describe(ctx)
	if len(opt.growth.kinds) > 0 {
		fmt.Fprintf(os.Stdout, "%s\n\n", machine)
		return errors.Join(w.growth(ctx, os.Stdout), w.close())
	}
	rows, err := measure(ctx, w)
	err = errors.Join(err, w.close())
	fmt.Fprintf(os.Stdout, "%s\n\n", machine)
	return errors.Join(printTable(os.Stdout, rows), err)
}

// tuneLoad keeps this program's garbage collector and scheduler from disturbing the
// measurement. The reading loops block in system calls; with additional processors, the other
// goroutines do not have to wait for them.
func tuneLoad() {
	debug.SetGCPercent(400)
	runtime.GOMAXPROCS(runtime.NumCPU() + 4)
}

func parse(args []string) (options, error) {
	var o options
	var chosen, grow, databases string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.StringVar(&chosen, "lines", "", "lines to measure, separated by commas: "+strings.Join(lineNames(), ","))
	f.BoolVar(&o.quick, "quick", false, "a twentieth of the load, once, to see that it works")
	f.IntVar(&o.repeat, "repeat", 0, "repetitions; the table shows the median and the range (default 3, with -peers 5)")
	f.IntVar(&o.streams, "streams", 10_000, "connected users")
	f.BoolVar(&o.peers, "peers", false, "measure as an application and browsers would, beside a durable server of the same promise and servers that store nothing; instead of the lines")
	f.StringVar(&o.peer, "peer", "", "another server for -peers: a program that takes --addr, --redis and --kind stdlib and serves GET /events?stream= and POST /publish?to=")
	g := &o.growth
	g.notices, g.users, g.entries, g.stream = []int{0, 1_000_000, 10_000_000}, []int{10_000, 100_000, 1_000_000}, []int{1, 30, 200}, []int{1_000, 10_000, 30_000}
	f.StringVar(&grow, "growth", "", "measure how cost grows with these, instead of the lines: all, or "+strings.Join(growthKinds(), ","))
	f.StringVar(&databases, "databases", strings.Join(databaseNames(), ","), "for -growth")
	f.Var((*sizes)(&g.notices), "grow-notices", "notices in SQL, for -growth")
	f.Var((*sizes)(&g.users), "grow-users", "users imported, with one role, for -growth")
	f.Var((*sizes)(&g.entries), "grow-entries", "entries of an inbox, for -growth")
	f.Var((*sizes)(&g.stream), "grow-streams", "streams, for -growth")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if grow == "all" {
		grow = strings.Join(growthKinds(), ",")
	}
	if grow != "" {
		g.kinds, g.databases = strings.Split(grow, ","), strings.Split(databases, ",")
	}
	if o.repeat == 0 {
		if o.repeat = 3; o.peers {
			o.repeat = 5
		}
	}
	if f.NArg() > 0 || o.repeat < 1 || o.streams < 1 {
		return o, fmt.Errorf("invalid arguments: %q (see --help)", args)
	}
	if o.quick {
		o.repeat, o.streams = 1, o.scaled(o.streams)
	}
	for name := range strings.FieldsFuncSeq(chosen, func(r rune) bool { return r == ',' || r == ' ' }) {
		if !slices.Contains(lineNames(), name) {
			return o, fmt.Errorf("unknown line %q; the lines are %s", name, strings.Join(lineNames(), ", "))
		}
		o.lines = append(o.lines, name)
	}
	return o, nil
}

// runBound runs this program as one of the bounds.
func runBound(ctx context.Context, args []string) error {
	var cfg bound.Config
	f := flag.NewFlagSet("bench bound", flag.ContinueOnError)
	f.StringVar(&cfg.Kind, "kind", bound.Stdlib, "stdlib or r3labs")
	f.StringVar(&cfg.Addr, "addr", "", "address to listen on")
	f.StringVar(&cfg.Redis, "redis", "", "unix socket of the Redis to subscribe to")
	f.IntVar(&cfg.PageBytes, "page-bytes", 0, "size of the fixed page in bytes")
	if err := f.Parse(args); err != nil {
		return err
	}
	return bound.Serve(ctx, cfg)
}

// runDurable runs this program as the durable peer.
func runDurable(ctx context.Context, args []string) error {
	cfg := durable.Config{Role: crowdRole}
	f := flag.NewFlagSet("bench "+durablePeer, flag.ContinueOnError)
	f.StringVar(&cfg.Addr, "addr", "", "address to listen on")
	f.StringVar(&cfg.Redis, "redis", "", "unix socket of the Redis")
	f.StringVar(&cfg.Dir, "dir", "", "directory of the database")
	f.StringVar(&cfg.Key, "key", "", "the API key")
	f.IntVar(&cfg.Users, "users", 0, "users who get streams")
	f.IntVar(&cfg.Members, "members", 0, "members of the role "+crowdRole)
	if err := f.Parse(args); err != nil {
		return err
	}
	return durable.Serve(ctx, cfg)
}
