//go:build linux

package main

import (
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// randInt is what redis-benchmark replaces by a random number of randDigits
// digits, each time anew.
const (
	randInt    = "__rand_int__"
	randDigits = 12
)

var ratePattern = regexp.MustCompile(`([0-9.]+) requests per second`)

// redisBenchmark sends a command count times over clients connections with
// pipeline commands under way on each, and returns commands per second.
// Wherever the command holds randInt there comes a number below random.
func redisBenchmark(ctx context.Context, socket string, count, clients, pipeline, random int, command []string) (float64, error) {
	args := []string{
		"-q", "-s", socket, "-n", strconv.Itoa(count), "-c", strconv.Itoa(clients),
		"-P", strconv.Itoa(pipeline), "-r", strconv.Itoa(random),
	}
	out, err := exec.CommandContext(ctx, "redis-benchmark", append(args, command...)...).CombinedOutput() //nolint:gosec // the program is fixed; its arguments are Redis commands that this program recorded, and no shell reads them
	if err != nil {
		return 0, fmt.Errorf("redis-benchmark: %w: %.300s", err, out)
	}
	rates := ratePattern.FindAllStringSubmatch(string(out), -1)
	if len(rates) == 0 {
		return 0, fmt.Errorf("redis-benchmark printed no rate: %.300s", out)
	}
	return strconv.ParseFloat(rates[len(rates)-1][1], 64)
}

// randomised replaces what is particular to one call by random numbers.
func randomised(command []string, particular ...string) []string {
	var pairs []string
	for _, p := range particular {
		pairs = append(pairs, p, randInt)
	}
	r := strings.NewReplacer(pairs...)
	out := make([]string, len(command))
	for i, word := range command {
		out[i] = r.Replace(word)
	}
	return out
}
