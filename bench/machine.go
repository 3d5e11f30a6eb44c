//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// describe describes the machine and the settings of the measurement.
func (w *world) describe(ctx context.Context) string {
	server := "unknown"
	if info, err := w.rdb.Info(ctx, "server").Result(); err == nil {
		_, rest, _ := strings.Cut(info, "redis_version:")
		server, _, _ = strings.Cut(rest, "\r\n")
	}
	var u unix.Utsname
	release := ""
	if unix.Uname(&u) == nil {
		release = unix.ByteSliceToString(u.Release[:])
	}
	return fmt.Sprintf("%d × %s, Linux %s, %s, Redis %s with append-only file (everysec) on a unix socket; "+
		"%s connected users; median (range) of %d.",
		runtime.NumCPU(), cpuModel(), release, runtime.Version(), server, short(float64(w.opt.streams)), w.opt.repeat)
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, value, _ := strings.Cut(lines.Text(), ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
