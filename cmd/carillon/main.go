// Command carillon is the notification centre: the server and its administrative commands.
// `carillon --help` lists them.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/redis/go-redis/v9/logging"

	"github.com/carillonhq/carillon/internal/config"
)

func main() {
	logging.Disable() // go-redis also returns these messages as errors
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The second Ctrl-C ends the process at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program except for its process. ctx ends with the signal that stops the program.
// The result is the exit status: 0 for success, 1 for a failure, 2 for wrong usage.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	p := &program{args: args, stdin: stdin, stdout: stdout, stderr: stderr, lookup: config.Process}
	return p.run(ctx)
}
