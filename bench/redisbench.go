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

// randInt is the placeholder that redis-benchmark replaces by a random number of randDigits
// digits, a new one for each occurrence.
const (
	randInt    = "__rand_int__"
	randDigits = 12
)

var ratePattern = regexp.MustCompile(`([0-9.]+) requests per second`)

// redisBenchmark sends a command count times over clients connections, with pipeline commands
// in flight on each, and returns the commands per second. Each randInt in the command becomes a
// number below random.
func redisBenchmark(ctx context.Context, socket string, count, clients, pipeline, random int, command []string) (float64, error) {
	args := []string{
		"-q", "-s", socket, "-n", strconv.Itoa(count), "-c", strconv.Itoa(clients),
		"-P", strconv.Itoa(pipeline), "-r", strconv.Itoa(random),
	}
	out, err := exec.CommandContext(ctx, "redis-benchmark", append(args, command...)...).CombinedOutput() //nolint:gosec // the program is fixed, and the benchmark itself supplies the arguments, which pass through no shell
	if err != nil {
		return 0, fmt.Errorf("redis-benchmark: %w: %.300s", err, out)
	}
	rates := ratePattern.FindAllStringSubmatch(string(out), -1)
	if len(rates) == 0 {
		return 0, fmt.Errorf("redis-benchmark printed no rate: %.300s", out)
	}
	return strconv.ParseFloat(rates[len(rates)-1][1], 64)
}

// randomised replaces the numbers specific to one call with random ones.
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
