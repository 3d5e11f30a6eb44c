// Warehouse shows rules at work: a business database in which stock becomes negative, a
// demonstration of Carillon that watches it, and an application that polls. Run it with run.sh;
// README.md explains the story.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "warehouse:", err)
		os.Exit(1)
	}
}

// options contains the flags of the command line.
type options struct {
	carillon string
	dir      string // directory of schema.sql and rules.toml
	addr     string
	once     bool
}

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("warehouse", flag.ContinueOnError)
	f.StringVar(&o.carillon, "carillon", "bin/carillon", "path of the program carillon")
	f.StringVar(&o.dir, "dir", "examples/warehouse", "directory of schema.sql and rules.toml")
	f.StringVar(&o.addr, "addr", "127.0.0.1:8081", "address for Carillon to listen on; port 0 takes a free one")
	f.BoolVar(&o.once, "once", false, "end after the story, and fail if a step fails")
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	return o, err
}

func run(ctx context.Context, args []string) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "warehouse")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	stock, err := openStock(ctx, filepath.Join(temp, "warehouse.db"), filepath.Join(o.dir, "schema.sql"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stock.close()) }()
	server, err := startServer(ctx, o, temp)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	if err = tell(ctx, server, stock); err != nil || o.once {
		return unlessStopped(err)
	}
	say("\nThat was the story. Carillon keeps running at %s until you press Ctrl-C.", server.url)
	say("Sign in as bob (bob-demo) or carol (carol-demo); alice (alice-demo) sees the rules at %s/staff/rules.", server.url)
	say("Type a location and a number, such as A-07-3 -5, and watch their bells.")
	stock.typed(ctx, os.Stdin)
	return nil
}

// unlessStopped returns the error, or nil if the user pressed Ctrl-C.
func unlessStopped(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// say prints a line.
func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }
