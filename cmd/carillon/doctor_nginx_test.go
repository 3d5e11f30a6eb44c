package main

import (
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// nginx runs nginx in front of a server, with these directives at its location.
func nginx(t *testing.T, server, http, location string) (address string) {
	t.Helper()
	addr, dir := testkit.Address(), t.TempDir()
	launch(t, "nginx", dir, addr, `daemon off; master_process off; pid `+dir+`/pid; error_log stderr; events {}
		http { access_log off; `+temporary(dir)+http+`
			server { listen `+addr+`; location / {
				proxy_pass `+server+`; proxy_http_version 1.1; proxy_set_header Host $http_host; proxy_set_header Connection "";
				`+location+` } } }`)
	return "http://" + addr
}

// Uses the real program to find what nginx does to a stream.
func TestTheDoctorFindsWhatNginxDoesToStreams(t *testing.T) {
	t.Parallel()
	c := in(t.TempDir())
	s := serve(t, c)
	const large = "client_max_body_size 8m;"
	for name, test := range map[string]struct {
		http, location, silence string
		words                   []string
	}{
		"as it should be":  {"", large, "3s", []string{"arrives line by line", "also after 3s of silence", "requests of 8 MiB come through"}},
		"it buffers":       {"", large + "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;", "0", []string{"FAIL  proxy", "it is buffered", "→ switch buffering off"}},
		"it compresses":    {"gzip on; gzip_types text/event-stream; gzip_proxied any;", large + "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;", "0", []string{"FAIL  proxy", "compressed (gzip)"}},
		"a short timeout":  {"", large + "proxy_read_timeout 1s;", "3s", []string{"FAIL  proxy", "ends during a silence of 3s", "→ raise the proxy's read timeout"}},
		"short bodies":     {"", "", "0", []string{"FAIL  proxy", "8 MiB are refused by the proxy (413)", "client_max_body_size"}},
		"it drops cookies": {"", large + `proxy_set_header Cookie "";`, "0", []string{"FAIL  proxy", "drops the header Cookie of requests"}},
		"it hides cookies": {"", large + "proxy_hide_header Set-Cookie;", "0", []string{"FAIL  proxy", "drops the header Set-Cookie"}},
		"a wrong server":   {"", large + "proxy_pass http://127.0.0.1:9;", "0", []string{"FAIL  proxy", "cannot reach the server (502)"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := s.URL
			if strings.Contains(test.location, "proxy_pass") {
				server, test.location = "http://127.0.0.1:9", large
			}
			r := c.run(t.Context(), "doctor", "--silence", test.silence, "--public-url", nginx(t, server, test.http, test.location))
			wantWords(t, r.out, test.words...)
		})
	}
}
