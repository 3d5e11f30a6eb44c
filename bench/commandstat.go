//go:build linux

package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
)

// commandStat is what Redis counted of one command since the last reset.
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

var cpuPattern = regexp.MustCompile(`used_cpu_(?:user|sys)_main_thread:([0-9.]+)`)

// redisCPU is the seconds of processor time that Redis's one busy thread has
// used. Unlike a rate it tells little of what else runs on the machine.
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
