//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "bench: the load generator needs Linux (epoll)")
	os.Exit(1)
}
