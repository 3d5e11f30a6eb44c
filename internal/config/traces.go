package config

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/carillonhq/carillon/internal/tracing"
)

// traces returns where traces are sent. Without a flag, the variables of OpenTelemetry's specification apply, so
// that Carillon needs no settings of its own if they are set for all
// services.
func (f *Faults) traces(endpoint string, lookup Lookup) (c tracing.Collector) {
	variable := func(name string) string { value, _ := lookup(name); return value }
	flag, path := "--otlp-endpoint", "/v1/traces"
	if endpoint == "" {
		if strings.EqualFold(variable("OTEL_SDK_DISABLED"), "true") || variable("OTEL_TRACES_EXPORTER") == "none" {
			return c
		}
		if endpoint = variable("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); endpoint != "" {
			flag, path = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", ""
		} else if endpoint = variable("OTEL_EXPORTER_OTLP_ENDPOINT"); endpoint != "" {
			flag = "OTEL_EXPORTER_OTLP_ENDPOINT"
		} else {
			return c
		}
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		f.Add(flag, "must be an http or https URL, such as http://127.0.0.1:4318")
		return c
	}
	c.URL, c.Headers = strings.TrimSuffix(endpoint, "/")+path, http.Header{}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		for _, header := range strings.FieldsFunc(variable(name), func(r rune) bool { return r == ',' }) {
			key, value, ok := strings.Cut(header, "=")
			value, err := url.PathUnescape(strings.TrimSpace(value))
			if !ok || err != nil || strings.TrimSpace(key) == "" {
				f.Add(name, "must be a list such as api-key=abc,tenant=shop")
				return c
			}
			c.Headers.Set(strings.TrimSpace(key), value)
		}
	}
	return c
}
