package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEveryAlertIsSeenToFire checks that a test creates the cause of each alert of deploy/ and scrapes the metrics of
// an instance: an alert on a number that never changes is worse than none.
func TestEveryAlertIsSeenToFire(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile(filepath.Join(root(t), "deploy/prometheus/alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var tests strings.Builder
	for _, dir := range []string{"cmd/carillon", "internal/instance"} {
		files, err := filepath.Glob(filepath.Join(root(t), dir, "alerts*_test.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("tests of alerts in %s: %d, %v", dir, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			tests.Write(text)
		}
	}
	alerts := regexp.MustCompile(`- alert: (\w+)`).FindAllStringSubmatch(string(rules), -1)
	if len(alerts) < 15 {
		t.Errorf("only %d alerts were found", len(alerts))
	}
	for _, alert := range alerts {
		if !strings.Contains(tests.String(), `"`+alert[1]+`"`) {
			t.Errorf("no test has %s fire", alert[1])
		}
	}
}
