package doctor

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// fault is one reason why the public URL does not work, with its cure.
type fault struct{ found, advice string }

func (f *fault) Error() string { return f.found }

// unreached explains why a request through the public URL got no response.
func unreached(public *url.URL, err error) *fault {
	host := public.Host
	var expired x509.CertificateInvalidError
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	var dns *net.DNSError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &expired) && expired.Reason == x509.Expired:
		if now := time.Now(); now.Before(expired.Cert.NotBefore) {
			return &fault{fmt.Sprintf("the certificate of %s is valid only from %s", host, expired.Cert.NotBefore.Format(time.DateTime)), "check the clock of this machine, or wait until then"}
		}
		return &fault{fmt.Sprintf("the certificate of %s expired on %s", host, expired.Cert.NotAfter.Format(time.DateOnly)), "renew it, and have the proxy load the new one"}
	case errors.As(err, &authority):
		return &fault{
			fmt.Sprintf("the certificate of %s comes from an authority that this machine does not know", host),
			"have the proxy send the certificates between its own and the authority's, too; for an authority of your own, add its certificate to this machine's (or name its file in SSL_CERT_FILE), and to those of browsers",
		}
	case errors.As(err, &name):
		return &fault{fmt.Sprintf("the certificate of %s is for %s", host, strings.Join(name.Certificate.DNSNames, ", ")), "give the proxy a certificate for the host of --public-url, or correct --public-url"}
	case errors.As(err, &expired):
		return &fault{fmt.Sprintf("the certificate of %s is not valid: %v", host, expired), "replace it"}
	case errors.As(err, &record), strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return &fault{host + " speaks plain HTTP at that port, and --public-url says https", "switch TLS on in the proxy, or begin --public-url with http://, or correct its port"}
	case errors.As(err, &alert):
		return &fault{fmt.Sprintf("%s refuses the TLS handshake: %v", host, alert), "give the proxy a certificate for this host; see its log"}
	case errors.As(err, &dns) && dns.IsNotFound:
		return &fault{fmt.Sprintf("the name %s is not known", dns.Name), "correct the host of --public-url, or enter it in DNS (for this machine, too: /etc/hosts is enough)"}
	case errors.As(err, &dns):
		return &fault{fmt.Sprintf("the name %s cannot be looked up: %v", dns.Name, dns), "check this machine's name server (/etc/resolv.conf)"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return &fault{host + " refuses connections: nothing listens there", "start the proxy, or correct the port of --public-url"}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return &fault{host + " cannot be reached from this machine", "check its address in DNS, and routes and firewalls between"}
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{host + " does not answer in time", "check that a firewall lets this machine connect, and that the proxy forwards to the address of --addr"}
	case errors.Is(err, io.EOF), errors.Is(err, syscall.ECONNRESET), strings.Contains(err.Error(), "malformed HTTP"), strings.Contains(err.Error(), "server closed idle connection"):
		return &fault{host + " does not speak HTTP at that port, or closes the connection", "begin --public-url with https:// if TLS is on there, or correct its port"}
	}
	reason := err
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		reason = wrapped.Err // without the address, which contains the token
	}
	return &fault{fmt.Sprintf("%s cannot be asked: %v", host, reason), "see the log of the proxy"}
}

// answered explains a response that is not from Carillon.
func answered(public *url.URL, res *http.Response) *fault {
	body, _ := io.ReadAll(io.LimitReader(res.Body, 2000)) // only to recognize it
	text := strings.ToLower(string(body))
	if res.Header.Get(refusal) != "" {
		return &fault{
			"the server behind " + public.String() + " does not know this signature: it has other session keys",
			"run the doctor with the server's settings (--session-keys, or its --data-dir), and check that the proxy leads to this server; clocks may differ by a minute",
		}
	}
	if where, err := res.Location(); err == nil {
		return redirected(public, where)
	}
	switch status := res.StatusCode; {
	case status == http.StatusBadRequest && strings.Contains(text, "http") && strings.Contains(text, "https"):
		return &fault{public.Host + " speaks TLS at that port, and --public-url says http", "begin --public-url with https://"}
	case status == http.StatusBadGateway:
		return &fault{"the proxy cannot reach the server (502)", "start the server, and have the proxy forward to the address of --addr; see its error log"}
	case status == http.StatusServiceUnavailable:
		return &fault{"the proxy or the server is not ready (503)", "ask /readyz of the server; if that is ok, the proxy takes it for dead: see its health checks"}
	case status == http.StatusGatewayTimeout:
		return &fault{"the proxy waits in vain for the server (504)", "check that the proxy forwards to the address of --addr, and that no firewall is between"}
	case status == http.StatusNotFound:
		return &fault{
			fmt.Sprintf("nothing is at %s%s (404): another application or another path answers", public, ProbePath),
			"have the proxy forward every path below --public-url as it is, and start the server with the same --public-url",
		}
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return &fault{fmt.Sprintf("the proxy requires a sign-in (%d)", status), "this may be intended; then check the bell of a signed-in user"}
	default:
		return &fault{"a stream is answered with " + res.Status, "see the log of the proxy"}
	}
}

func redirected(public, to *url.URL) *fault {
	shown := *to
	shown.RawQuery = ""
	switch {
	case shown.String() == public.JoinPath(ProbePath).String():
		return &fault{shown.String() + " redirects to itself, without end", "the proxy redirects to https what another proxy in front of it has received by https: have it look at X-Forwarded-Proto, or redirect in the first one only"}
	case public.Scheme == "http" && to.Scheme == "https" && to.Hostname() == public.Hostname():
		return &fault{public.String() + " redirects to https", "begin --public-url with https://"}
	default:
		return &fault{public.String() + " redirects to " + shown.String(), "set --public-url to the address that answers itself; if it leads to a sign-in of the proxy, check the bell of a signed-in user"}
	}
}
