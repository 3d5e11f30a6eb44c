package deploy

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestContainersHaveAHealthCheck(t *testing.T) {
	t.Parallel()
	if text := read(t, "Dockerfile"); !regexp.MustCompile(`(?m)^HEALTHCHECK .*CMD \["/carillon", "health"\]$`).MatchString(text) {
		t.Errorf("the image has no health check:\n%s", text)
	}
	service, _, _ := strings.Cut(read(t, "compose.yaml"), "\n  redis:\n")
	if !strings.Contains(service, "healthcheck: { test: [CMD, /carillon, health]") {
		t.Errorf("the service has no health check:\n%s", service)
	}
}

// Secrets must get neither into the build image nor into a commit.
func TestTheSecretsOfComposeAreIgnored(t *testing.T) {
	t.Parallel()
	files := regexp.MustCompile(`file: \.\./(\w+)`).FindAllStringSubmatch(read(t, "compose.yaml"), -1)
	if len(files) == 0 {
		t.Fatal("compose.yaml names no secret")
	}
	image, commit := "\n"+read(t, "../.dockerignore"), "\n"+read(t, "../.gitignore")
	for _, file := range files {
		if !strings.Contains(image, "\n"+file[1]+"\n") || !strings.Contains(commit, "\n/"+file[1]+"\n") {
			t.Errorf("%s is not ignored", file[1])
		}
	}
}
