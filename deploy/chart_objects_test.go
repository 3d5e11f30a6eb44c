package deploy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// pod is what the tests look at of a pod.
type pod struct {
	Spec struct {
		AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
		EnableServiceLinks            *bool `yaml:"enableServiceLinks"`
		TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
		SecurityContext               struct {
			RunAsNonRoot   bool              `yaml:"runAsNonRoot"`
			RunAsUser      int               `yaml:"runAsUser"`
			FSGroup        int               `yaml:"fsGroup"`
			SeccompProfile map[string]string `yaml:"seccompProfile"`
		} `yaml:"securityContext"`
		Containers []container
		Volumes    []map[string]any
	}
}

type container struct {
	Image           string
	Args            []string
	Env             []struct{ Name, Value string }
	StartupProbe    probe `yaml:"startupProbe"`
	LivenessProbe   probe `yaml:"livenessProbe"`
	ReadinessProbe  probe `yaml:"readinessProbe"`
	Lifecycle       map[string]map[string]map[string]int
	SecurityContext struct {
		AllowPrivilegeEscalation *bool               `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool                `yaml:"readOnlyRootFilesystem"`
		Capabilities             map[string][]string `yaml:"capabilities"`
	} `yaml:"securityContext"`
	VolumeMounts []mount `yaml:"volumeMounts"`
}

type mount struct {
	Name      string
	MountPath string `yaml:"mountPath"`
	ReadOnly  bool   `yaml:"readOnly"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// at returns the value below a path of keys.
func at(t *testing.T, o object, path ...any) any {
	t.Helper()
	var v any = map[string]any(o)
	for _, key := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[fmt.Sprint(key)]
		case object: // a map in an object is one, too
			v = in[fmt.Sprint(key)]
		case []any:
			v = in[key.(int)]
		default:
			t.Fatalf("%s has nothing at %v", o.kind(), path)
		}
	}
	return v
}

// workload returns the pod of the Deployment or of the StatefulSet.
func workload(t *testing.T, objects map[string]object) (p pod) {
	t.Helper()
	one, many := objects["StatefulSet"], objects["Deployment"]
	if (one == nil) == (many == nil) {
		t.Fatal("the chart must have a Deployment or a StatefulSet")
	}
	if many != nil {
		one = many
	}
	text, err := yaml.Marshal(at(t, one, "spec", "template"))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	if len(p.Spec.Containers) != 1 {
		t.Fatalf("a pod has %d containers", len(p.Spec.Containers))
	}
	return p
}

// harmless fails unless a pod passes as restricted (Pod Security Standards), writes to its volume only, and has settings
// that Carillon knows.
func harmless(t *testing.T, p pod) {
	t.Helper()
	c, s := p.Spec.Containers[0], p.Spec.SecurityContext
	if !s.RunAsNonRoot || s.RunAsUser != 65532 || s.FSGroup != 65532 || s.SeccompProfile["type"] != "RuntimeDefault" {
		t.Errorf("the pod has rights: %+v", s)
	}
	if r := c.SecurityContext; r.AllowPrivilegeEscalation == nil || *r.AllowPrivilegeEscalation || !r.ReadOnlyRootFilesystem || fmt.Sprint(r.Capabilities["drop"]) != "[ALL]" || len(r.Capabilities) != 1 {
		t.Errorf("the container has rights: %+v", r)
	}
	if p.Spec.AutomountServiceAccountToken == nil || *p.Spec.AutomountServiceAccountToken || p.Spec.EnableServiceLinks == nil || *p.Spec.EnableServiceLinks {
		t.Error("the pod has a token, or variables of services, some of which begin with CARILLON_")
	}
	if c.StartupProbe.HTTPGet.Path != "/healthz" || c.LivenessProbe.HTTPGet.Path != "/healthz" || c.ReadinessProbe.HTTPGet.Path != "/readyz" || c.ReadinessProbe.HTTPGet.Port != "http" {
		t.Errorf("the probes are %+v, %+v and %+v", c.StartupProbe, c.LivenessProbe, c.ReadinessProbe)
	}
	// The unit of systemd gives it 45 s.
	if pause := c.Lifecycle["preStop"]["sleep"]["seconds"]; pause < 1 || p.Spec.TerminationGracePeriodSeconds < pause+45 {
		t.Errorf("it has %d s to stop, and %d of them pass before", p.Spec.TerminationGracePeriodSeconds, pause)
	}
	var names []string
	for _, e := range c.Env {
		if !strings.HasPrefix(e.Name, "CARILLON_RULE_SOURCE_") {
			names = append(names, e.Name)
		}
		if path, isFile := strings.CutPrefix(e.Value, "/run/secrets/carillon/"); isFile != strings.HasSuffix(e.Name, "_FILE") || isFile && !strings.Contains(fmt.Sprint(p.Spec.Volumes), path) {
			t.Errorf("%s is %s, which no volume has: %v", e.Name, e.Value, p.Spec.Volumes)
		}
	}
	settings(t, names)
}

// several checks what only several instances have.
func several(t *testing.T, objects map[string]object) {
	t.Helper()
	p := workload(t, objects)
	values := map[string]string{}
	for _, e := range p.Spec.Containers[0].Env {
		values[e.Name] = e.Value
	}
	for name, want := range map[string]string{
		"CARILLON_MAX_SEQ": "16000000", "CARILLON_OIDC_EMAIL": "false", "CARILLON_TRUSTED_PROXIES": "10.0.0.0/8,192.168.0.0/16",
		"CARILLON_DATABASE_PASSWORD_FILE": "/run/secrets/carillon/database-password", "CARILLON_ADMIN_ADDR": "0.0.0.0:9090", "CARILLON_RULES": "/etc/carillon/rules.toml",
	} {
		if values[name] != want {
			t.Errorf("%s is %q; want %q", name, values[name], want)
		}
	}
	for _, m := range p.Spec.Containers[0].VolumeMounts {
		if !m.ReadOnly && m.Name != "authorities" {
			t.Errorf("it can write to %s", m.MountPath)
		}
	}
	d := objects["Deployment"]
	selector := fmt.Sprint(at(t, d, "spec", "selector", "matchLabels"))
	for kind, path := range map[string][]any{"PodDisruptionBudget": {"spec", "selector", "matchLabels"}, "Service": {"spec", "selector"}, "PodMonitor": {"spec", "selector", "matchLabels"}} {
		if got := fmt.Sprint(at(t, objects[kind], path...)); got != selector {
			t.Errorf("%s selects %s; the pods have %s", kind, got, selector)
		}
	}
	if unavailable := at(t, d, "spec", "strategy", "rollingUpdate", "maxUnavailable"); unavailable != 0 {
		t.Errorf("while it is rolled out, %v instances are missing", unavailable)
	}
	rule := []any{"spec", "rules", 0}
	host, path := at(t, objects["Ingress"], append(rule, "host")...), at(t, objects["Ingress"], append(rule, "http", "paths", 0, "path")...)
	if host != "app.example.com" || path != "/notifications" {
		t.Errorf("the ingress is for %v at %v", host, path)
	}
	if alerts := fmt.Sprint(at(t, objects["PrometheusRule"], "spec", "groups")); !strings.Contains(alerts, "CarillonDown") {
		t.Errorf("the alerts are %s", alerts)
	}
}

// single checks what only one instance with its own data has.
func single(t *testing.T, objects map[string]object) {
	t.Helper()
	if objects["PodDisruptionBudget"] != nil {
		t.Error("a budget would keep the only instance on its node")
	}
	data := slices.Contains(workload(t, objects).Spec.Containers[0].VolumeMounts, mount{Name: "data", MountPath: "/data"})
	if size := at(t, objects["StatefulSet"], "spec", "volumeClaimTemplates", 0, "spec", "resources", "requests", "storage"); size != "20Gi" || !data {
		t.Errorf("its volume has %v, and is mounted: %t", size, data)
	}
}
