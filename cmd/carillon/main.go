// Command carillon is the notification centre: the server and the commands
// that are run beside it. `carillon --help` lists them.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9/logging"
)

func main() {
	logging.Disable() // what go-redis would print comes back as an error, too
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for its process: ctx ends with the signal that
// stops it, the result is its exit status: 0 done, 1 failed, 2 wrongly called.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{args: args, stdin: stdin, stdout: stdout, stderr: stderr, lookup: os.LookupEnv}
	return p.run(ctx)
}
