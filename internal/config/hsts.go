package config

import (
	"net/http"
	"strings"
)

// HSTS is the scope for which browsers are told to use only https.
type HSTS string

// The scopes of HSTS.
const (
	HSTSOff        HSTS = "off"
	HSTSHost       HSTS = "host"
	HSTSSubdomains HSTS = "subdomains"
)

func (f *Faults) hsts(flag, s string) HSTS {
	switch scope := HSTS(strings.ToLower(s)); scope {
	case HSTSOff, HSTSHost, HSTSSubdomains:
		return scope
	default:
		f.Add(flag, "%q is not host, subdomains or off", s)
		return HSTSHost
	}
}

// StrictTransport adds the header Strict-Transport-Security to every response, of pages, API and files, if the public
// URL is https and the setting does not disable it.
func (c *Config) StrictTransport(next http.Handler) http.Handler {
	value := "max-age=31536000"
	if c.HSTS == HSTSSubdomains {
		value += "; includeSubDomains"
	}
	if !c.Secure() || c.HSTS == HSTSOff {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Strict-Transport-Security", value)
		next.ServeHTTP(w, r)
	})
}
