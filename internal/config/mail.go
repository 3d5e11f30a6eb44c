package config

import (
	"crypto/x509"
	"net/url"
	"os"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/notifier"
)

// server parses the address of a mail server. Its faults contain no part of it.
func (f *Faults) server(flag, s, authorities string) *mail.Server {
	if s == "" {
		return nil
	}
	server, err := mail.ParseServer(s)
	if err != nil {
		f.Add(flag, "%v", err)
	}
	if authorities != "" {
		server.Roots = f.authorities("--smtp-ca", authorities)
	}
	return &server
}

// authorities reads a file of certificates, and adds them to the system's authorities.
func (f *Faults) authorities(flag, file string) *x509.CertPool {
	text, err := os.ReadFile(file)
	if err != nil {
		f.Add(flag, "cannot be read: %v", err)
		return nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(text) {
		f.Add(flag, "%s has no certificate in PEM, which begins with -----BEGIN CERTIFICATE-----", file)
	}
	return roots
}

// sender checks the sender of mails.
func (f *Faults) sender(flag, s string) string {
	if s == "" {
		return ""
	}
	if _, _, err := mail.ParseSender(s); err != nil {
		f.Add(flag, "%q is not an address such as notices@example.com or Carillon <notices@example.com>", s)
	}
	return s
}

// when parses when users without a setting get mail.
func (f *Faults) when(flag, s string) notifier.When {
	w, ok := notifier.ParseWhen(s)
	if !ok {
		f.Add(flag, "%q is not off, daily or a duration of at most 24h, such as 30m", s)
	}
	return w
}

// zone checks the name of a time zone.
func (f *Faults) zone(flag, s string) string {
	if !notifier.ValidZone(s) {
		f.Add(flag, "%q is not a time zone: use an IANA name such as UTC, Europe/Berlin or Asia/Tokyo", s)
	}
	return s
}

// outboundProxy parses the address of a proxy. Its fault contains no part of it, because it may contain a password.
func (f *Faults) outboundProxy(flag, s string) *url.URL {
	if s == "" {
		return nil
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.Path != "" && u.Path != "/" {
		f.Add(flag, "is not the address of a proxy, such as http://proxy.example.com:3128")
		return nil
	}
	return u
}
