//go:build linux

package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMonitorLinesAreUnquoted(t *testing.T) {
	t.Parallel()
	line := `1339518083.107412 [0 unix:/tmp/r.sock] "evalsha" "ab12" "1" "list:{p07}:user_id:7" "{\"a\":\"x] \\\"y\"}" "\xe3\x81\x82\n"` + "\n"
	want := []string{"evalsha", "ab12", "1", "list:{p07}:user_id:7", `{"a":"x] \"y"}`, "あ\n"}
	got, err := monitorWords(line)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTheNumbersOfACallBecomeRandom(t *testing.T) {
	t.Parallel()
	got := randomised([]string{"evalsha", "user_id:4242", "like:notice_id:777", "4242|x"}, "4242", "777")
	want := []string{"evalsha", "user_id:__rand_int__", "like:notice_id:__rand_int__", "__rand_int__|x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
