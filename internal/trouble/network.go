package trouble

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"
)

const (
	slow   = "it does not answer in time"
	closed = "it closes the connection"
)

// network finds the cause of a failed or lost connection. flag names the setting with the address.
func network(err error, flag string) Trouble {
	var lookup *net.DNSError
	var dial *net.OpError
	var waited net.Error
	switch t := certificate(err, flag); {
	case t != Trouble{}:
		return t
	case errors.As(err, &lookup):
		return Trouble{"the name of its host is not in the DNS", "correct the host in " + flag + ", or fix the DNS", Away}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Trouble{"nothing listens at its address", fmt.Sprintf("start it, or correct %s", flag), Away}
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &dial):
		return Trouble{"there is no socket at its path", fmt.Sprintf("start it, or correct the path in %s", flag), Away}
	case errors.Is(err, fs.ErrPermission):
		return Trouble{"this user may not open its socket", "give the user that runs Carillon access to the socket, such as by its group", Refused}
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return Trouble{"there is no route to its host", "check the network, or correct the host in " + flag, Away}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), errors.As(err, &waited) && waited.Timeout():
		return Trouble{slow, "check that it runs, that it is not overloaded, that no firewall drops packets on the way, and that it speaks TLS if " + flag + " asks for TLS", Away}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed):
		return Trouble{closed, "see its log. If it speaks TLS only, " + flag + " must ask for TLS", Away}
	}
	return Trouble{}
}

// certificate finds the cause of a connection that fails because of TLS.
func certificate(err error, flag string) Trouble {
	var unknown x509.UnknownAuthorityError
	var wrong x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &unknown):
		return Trouble{"an unknown authority has signed its certificate", "name the file of that authority in SSL_CERT_FILE, or in the address if it is that of PostgreSQL (sslrootcert=FILE)", Refused}
	case errors.As(err, &wrong):
		return Trouble{"its certificate is for another host name", "use a name in " + flag + " that is in the certificate", Refused}
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return Trouble{"its certificate has expired", "renew the certificate, or set the clock of this machine", Refused}
	case errors.As(err, &invalid):
		return Trouble{"its certificate is not valid", "see the detail; the server needs another certificate", Refused}
	case errors.As(err, &record), strings.Contains(err.Error(), "server refused TLS connection"):
		without := "redis:// instead of rediss://"
		if flag == sqlFlag {
			without = "sslmode=disable"
		}
		return Trouble{"it does not speak TLS", "switch TLS on there, or ask for none in " + flag + " (" + without + ")", Refused}
	case errors.As(err, &alert), strings.Contains(err.Error(), "remote error: tls"):
		return Trouble{"it refuses the TLS connection", "see its log: it may ask for a certificate of this client", Refused}
	}
	return Trouble{}
}
