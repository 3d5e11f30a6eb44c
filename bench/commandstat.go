//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// commandStat holds Redis's statistics of one command since the last reset.
type commandStat struct {
	calls  float64
	micros float64 // per call
}

var statPattern = regexp.MustCompile(`calls=(\d+),usec=\d+,usec_per_call=([0-9.]+)`)

func (w *world) commandStat(ctx context.Context, command string) (s commandStat, err error) {
	info, err := w.rdb.Info(ctx, "commandstats").Result()
	if err != nil {
		return s, fmt.Errorf("read the statistics: %w", err)
	}
	_, line, _ := strings.Cut(info, "cmdstat_"+command+":")
	m := statPattern.FindStringSubmatch(line)
	if m == nil {
		return s, fmt.Errorf("no statistics of %s: %w", command, redis.Nil)
	}
	if s.calls, err = strconv.ParseFloat(m[1], 64); err != nil {
		return s, err
	}
	s.micros, err = strconv.ParseFloat(m[2], 64)
	return s, err
}

// resetStats resets Redis's statistics.
func (w *world) resetStats(ctx context.Context) error {
	if err := w.rdb.ConfigResetStat(ctx).Err(); err != nil {
		return fmt.Errorf("reset the statistics: %w", err)
	}
	return nil
}

// scriptStat returns the statistics of all scripts together, read-only or not.
func (w *world) scriptStat(ctx context.Context) (commandStat, error) {
	var all commandStat
	for _, command := range []string{"evalsha", "evalsha_ro"} {
		s, err := w.commandStat(ctx, command)
		if errors.Is(err, redis.Nil) {
			continue
		}
		if err != nil {
			return all, err
		}
		all.micros = (all.micros*all.calls + s.micros*s.calls) / (all.calls + s.calls)
		all.calls += s.calls
	}
	return all, nil
}

var medianPattern = regexp.MustCompile(`latency_percentiles_usec_evalsha(?:_ro)?:p50=([0-9.]+)`)

// scriptMedian returns the median time of the scripts since the last reset, in µs. All of them
// must be of one kind. A mean would depend more on what else is running.
func (w *world) scriptMedian(ctx context.Context) (micros float64, err error) {
	info, err := w.rdb.Info(ctx, "latencystats").Result()
	if err != nil {
		return 0, fmt.Errorf("read the latencies: %w", err)
	}
	m := medianPattern.FindStringSubmatch(info)
	if m == nil {
		return 0, fmt.Errorf("no latencies of scripts: %w", redis.Nil)
	}
	return strconv.ParseFloat(m[1], 64)
}

var cpuPattern = regexp.MustCompile(`used_cpu_(?:user|sys)_main_thread:([0-9.]+)`)

// redisCPU returns the processor time that Redis's main thread has used, in seconds. Unlike a
// rate, it hardly depends on what else runs on the machine.
func (w *world) redisCPU(ctx context.Context) (seconds float64, err error) {
	info, err := w.rdb.Info(ctx, "cpu").Result()
	if err != nil {
		return 0, fmt.Errorf("read the processor time of redis: %w", err)
	}
	for _, m := range cpuPattern.FindAllStringSubmatch(info, -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return 0, err
		}
		seconds += v
	}
	return seconds, nil
}
