package deploy

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/carillonhq/carillon/internal/config"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// service is a container of compose.yaml.
type service struct {
	User        string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Environment map[string]string
	Healthcheck struct{ Test []string }
}

func services(t *testing.T) map[string]service {
	t.Helper()
	var c struct{ Services map[string]service }
	if err := yaml.Unmarshal([]byte(read(t, "compose.yaml")), &c); err != nil {
		t.Fatal(err)
	}
	return c.Services
}

func TestContainersHaveAHealthCheck(t *testing.T) {
	t.Parallel()
	if text := read(t, "Dockerfile"); !regexp.MustCompile(`(?m)^HEALTHCHECK .*CMD \["/carillon", "health"\]$`).MatchString(text) {
		t.Errorf("the image has no health check:\n%s", text)
	}
	if check := services(t)["carillon"].Healthcheck.Test; fmt.Sprint(check) != "[CMD /carillon health]" {
		t.Errorf("the service has the health check %v", check)
	}
}

func TestContainersHaveNoRights(t *testing.T) {
	t.Parallel()
	all := services(t)
	if len(all) != 3 {
		t.Fatalf("compose.yaml has %d services", len(all))
	}
	for name, s := range all {
		if s.User == "" || !s.ReadOnly || fmt.Sprint(s.CapDrop) != "[ALL]" || fmt.Sprint(s.SecurityOpt) != "[no-new-privileges:true]" {
			t.Errorf("%s has rights: %+v", name, s)
		}
	}
	if user := all["carillon"].User; !strings.Contains(read(t, "Dockerfile"), "\nUSER "+user+"\n") {
		t.Errorf("the service runs as %s, the image as another user", user)
	}
}

// settings fails for variables that are no settings of Carillon.
func settings(t *testing.T, variables []string) {
	t.Helper()
	if len(variables) == 0 {
		t.Error("there are no settings")
	}
	for _, fault := range config.Misspelt(variables, "") {
		t.Error(fault)
	}
}

func TestTheVariablesOfComposeAreSettings(t *testing.T) {
	t.Parallel()
	settings(t, slices.Collect(maps.Keys(services(t)["carillon"].Environment)))
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
