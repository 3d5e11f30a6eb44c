//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usage is the processor time of a measurement, in seconds since the machine or the process started.
type usage struct {
	at                         time.Time
	machine                    float64 // everything
	server, redis, load, ended float64 // ended: children of this program that have ended
}

// used reads the processor time used by the machine and by the parts of the measurement.
func (w *world) used(ctx context.Context, server *process) (u usage, err error) {
	ms, err := server.cpu()
	if err != nil {
		return u, err
	}
	u.server = ms / 1000
	if u.redis, err = w.redisTime(ctx); err != nil {
		return u, err
	}
	var own, ended unix.Rusage
	if err := errors.Join(unix.Getrusage(unix.RUSAGE_SELF, &own), unix.Getrusage(unix.RUSAGE_CHILDREN, &ended)); err != nil {
		return u, fmt.Errorf("read the processor time of this program: %w", err)
	}
	u.load, u.ended = seconds(own), seconds(ended)
	u.machine, err = machineTime()
	u.at = time.Now()
	return u, err
}

var redisTimes = regexp.MustCompile(`used_cpu_(?:user|sys)(?:_children)?:([0-9.]+)`)

// redisTime returns the processor time of all threads of Redis, and of its children, in seconds.
func (w *world) redisTime(ctx context.Context) (sum float64, err error) {
	info, err := w.rdb.Info(ctx, "cpu").Result()
	if err != nil {
		return 0, fmt.Errorf("read the processor time of redis: %w", err)
	}
	for _, m := range redisTimes.FindAllStringSubmatch(info, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, err
		}
		sum += v
	}
	return sum, nil
}

func seconds(u unix.Rusage) float64 {
	return float64(u.Utime.Nano()+u.Stime.Nano()) / float64(time.Second)
}

// since returns what was used since an earlier moment.
func (u usage) since(before usage) usage {
	return usage{
		at: before.at, machine: u.machine - before.machine,
		server: u.server - before.server, redis: u.redis - before.redis, load: u.load - before.load, ended: u.ended - before.ended,
	}
}

// foreign returns the average number of processors used by other programs.
func (u usage) foreign(took time.Duration) float64 {
	return max(u.machine-u.server-u.redis-u.load-u.ended, 0) / took.Seconds()
}

// Average number of processors that other programs may use during a measurement; otherwise it is dropped. Long
// measurements with few samples are less sensitive.
const (
	quietLimit = 0.30
	calmLimit  = 0.45
)

// quietly runs a part of a measurement and returns the time it used. ok is false if other programs disturbed it, so
// that the result must be dropped.
func (w *world) quietly(ctx context.Context, server *process, limit float64, do func() error) (u usage, ok bool, err error) {
	before, err := w.used(ctx, server)
	if err != nil {
		return u, false, err
	}
	if err := do(); err != nil {
		return u, false, err
	}
	after, err := w.used(ctx, server)
	if err != nil {
		return u, false, err
	}
	u = after.since(before)
	others := u.foreign(after.at.Sub(before.at))
	if ok = others <= limit || w.opt.quick; !ok {
		w.log.Warn("a result is dropped: others used the machine", "server", server.name, "processors", short(others), "limit", limit)
	}
	return u, ok, nil
}

// machineTime returns the time, in seconds, that all processors were busy since the start.
func machineTime() (float64, error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, fmt.Errorf("read the processor time of the machine: %w", err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	const perTick, idle, waiting = 0.01, 3, 4
	busy := 0.0
	for i, field := range strings.Fields(first)[1:] {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, fmt.Errorf("read the processor time of the machine: %w", err)
		}
		if i < 8 && i != idle && i != waiting { // later values are parts of the first ones
			busy += perTick * v
		}
	}
	return busy, nil
}

// fsyncs measures how long the disk takes to sync 4 KB, at the 99th percentile, in ms.
func (w *world) fsyncs() (p99 float64, err error) {
	f, err := os.Create(filepath.Join(w.dir, "fsync"))
	if err != nil {
		return 0, fmt.Errorf("measure the disk: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	const times = 200
	page := make([]byte, 4096)
	took := make([]time.Duration, times)
	for i := range took {
		began := time.Now()
		if _, err := f.Write(page); err != nil {
			return 0, fmt.Errorf("measure the disk: %w", err)
		}
		if err := f.Sync(); err != nil {
			return 0, fmt.Errorf("measure the disk: %w", err)
		}
		took[i] = time.Since(began)
	}
	slices.Sort(took)
	return float64(took[times*99/100].Microseconds()) / 1000, nil
}
