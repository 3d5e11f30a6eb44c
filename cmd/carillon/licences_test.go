package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestTheLicencesAreThoseOfTheLinkedModules(t *testing.T) {
	t.Parallel()
	list := exec.CommandContext(t.Context(), "go", "run", "./scripts/licences")
	list.Dir = "../.."
	want, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != licences {
		t.Errorf("the licences have %d bytes, but licences.txt has %d: run make generate", len(want), len(licences))
	}
	wantWords(t, must(t, call{}.run(t.Context(), "licences")).out, "\nmodernc.org/sqlite\n", "\ngithub.com/redis/go-redis/v9\n", "\nhtmx\n", "\nTailwind CSS\n", "Lucide")
	if strings.Contains(licences, "chromedp") {
		t.Error("they include a module that only tests use")
	}
}
