package mail

import (
	"crypto/x509"
	"errors"
	"net"
	"net/url"
	"strconv"
)

// Server is the mail server.
type Server struct {
	Host     string
	Port     int
	TLS      bool // from the first byte; otherwise STARTTLS encrypts the connection
	User     string
	Password string
	Roots    *x509.CertPool // additional authorities for its certificate, besides the system's; nil: none
}

// Address returns host and port.
func (s Server) Address() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// String returns the server without the password, for logs and errors.
func (s Server) String() string {
	scheme := "smtp://"
	if s.TLS {
		scheme = "smtps://"
	}
	if s.User != "" {
		scheme += url.User(s.User).String() + "@"
	}
	return scheme + s.Address()
}

// GoString returns the same as String, so that %#v does not print the password either.
func (s Server) GoString() string { return s.String() }

// ParseServer parses smtps://USER:PASSWORD@HOST[:465], or smtp:// (port 587), where user and password may be
// missing. Errors contain no part of the text, because any part may belong to the password.
func ParseServer(text string) (Server, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Server{}, errors.New("is not smtps://USER:PASSWORD@HOST[:PORT]; write special characters of the password as %XX")
	case u.Scheme != "smtp" && u.Scheme != "smtps":
		return Server{}, errors.New("must begin with smtps:// or smtp://")
	case u.Hostname() == "":
		return Server{}, errors.New("names no host: smtps://USER:PASSWORD@HOST[:PORT]")
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" || u.Opaque != "":
		return Server{}, errors.New("must end after the host and its port; write special characters of the password as %XX")
	}
	s := Server{Host: u.Hostname(), Port: 587, TLS: u.Scheme == "smtps"}
	if s.TLS {
		s.Port = 465
	}
	if u.Port() != "" {
		if s.Port, err = strconv.Atoi(u.Port()); err != nil || s.Port < 1 || s.Port > 65535 {
			return Server{}, errors.New("has a port that is not a number from 1 to 65535")
		}
	}
	if u.User != nil {
		var has bool
		s.User = u.User.Username()
		if s.Password, has = u.User.Password(); s.User == "" || !has || s.Password == "" {
			return Server{}, errors.New("must have both a user and a password, or neither")
		}
	}
	return s, nil
}
