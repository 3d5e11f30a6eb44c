package config

import (
	"strings"
	"testing"
)

func TestTracesGoWhereTheVariablesOfOpenTelemetrySay(t *testing.T) {
	t.Parallel()
	const base = "OTEL_EXPORTER_OTLP_ENDPOINT"
	for _, c := range []struct {
		env  map[string]string
		flag string
		want string
	}{
		{nil, "", ""},
		{nil, "https://c.example.com/otlp/", "https://c.example.com/otlp/v1/traces"},
		{map[string]string{base: "http://127.0.0.1:4318"}, "", "http://127.0.0.1:4318/v1/traces"},
		{map[string]string{base: "http://127.0.0.1:4318"}, "http://b:4318", "http://b:4318/v1/traces"},
		{map[string]string{base: "http://a:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://b/traces"}, "", "http://b/traces"},
		{map[string]string{base: "http://a:4318", "OTEL_SDK_DISABLED": "true"}, "", ""},
		{map[string]string{base: "http://a:4318", "OTEL_TRACES_EXPORTER": "none"}, "", ""},
	} {
		var flags []string
		if c.flag != "" {
			flags = append(flags, "--otlp-endpoint="+c.flag)
		}
		got, err := parse(t, c.env, flags...)
		if err != nil || got.Traces.URL != c.want {
			t.Errorf("%v %v: %q, %v; want %q", c.env, flags, got.Traces.URL, err, c.want)
		}
	}
	got, err := parse(t, map[string]string{base: "http://a:4318", "OTEL_EXPORTER_OTLP_HEADERS": "api-key=a%3Db, tenant=shop"})
	if err != nil || got.Traces.Headers.Get("Api-Key") != "a=b" || got.Traces.Headers.Get("Tenant") != "shop" {
		t.Errorf("the headers are %v, %v", got.Traces.Headers, err)
	}
	for name, env := range map[string]map[string]string{
		"--otlp-endpoint":            {"CARILLON_OTLP_ENDPOINT": "127.0.0.1:4318"},
		base:                         {base: "grpc://a:4317"},
		"OTEL_EXPORTER_OTLP_HEADERS": {base: "http://a:4318", "OTEL_EXPORTER_OTLP_HEADERS": "hunter2"},
	} {
		if _, err := parse(t, env); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v: %v", env, err)
		}
	}
}
