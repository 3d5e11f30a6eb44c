//go:build linux

package main

import (
	"strings"
	"testing"
)

func TestARowShowsMedianRangeBoundAndVerdict(t *testing.T) {
	t.Parallel()
	r := row{
		line: "1", what: "memory per stream", unit: "KB", got: samples{19.2, 18.94, 21},
		rivals: []rival{{"stdlib", samples{26.5}}}, goal: both(atMost(22), below("stdlib")),
	}
	var b strings.Builder
	if err := printTable(&b, []row{r}); err != nil {
		t.Fatal(err)
	}
	want := "| 1 | memory per stream | KB | 19.2 (18.9–21) | stdlib 26.5 | ≤ 22, below stdlib | pass |\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("got  %swant %s", b.String(), want)
	}
}

func TestGoalsAreJudgedByTheMedianExceptNever(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		got  samples
		goal goal
		want string
	}{
		"one bad repetition of three is noise": {samples{1, 9, 2}, atMost(3), "pass"},
		"a median beyond the goal":             {samples{1, 9, 4}, atMost(3), "**short**"},
		"a share of the bound":                 {samples{90}, atLeastOf(0.9, "redis-benchmark"), "pass"},
		"less than that share":                 {samples{89}, atLeastOf(0.9, "redis-benchmark"), "**short**"},
		"one loss is a loss":                   {samples{0, 0, 1}, never(), "**short**"},
		"nothing measured":                     {nil, atMost(3), "not measured"},
		"only shown":                           {samples{1}, shown(), ""},
	} {
		r := row{got: c.got, goal: c.goal, rivals: []rival{{"redis-benchmark", samples{100}}}}
		if got := r.verdict(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestNumbersAreShort(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{0: "0", 0.284: "0.28", 5: "5", 18.94: "18.9", 185.4: "185", 18000: "18,000", 1234567.8: "1,234,568"} {
		if got := short(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}
