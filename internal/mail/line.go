package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// line is a connection to the mail server that is ready for mails.
type line struct {
	conn net.Conn
	smtp *smtp.Client
	used bool        // it has already sent a mail: the server may have closed it since
	idle *time.Timer // closes it; nil while it is in use
}

// dial opens a connection. Encryption is optional on this machine: if the handshake fails, dial
// connects again without it.
func (s *Sender) dial(ctx context.Context) (*line, error) {
	l, err := s.open(ctx, false)
	if failed := (*handshakeError)(nil); errors.As(err, &failed) && failed.optional && ctx.Err() == nil {
		return s.open(ctx, true)
	}
	return l, err
}

// open connects, encrypts unless plain, and signs in, within one time limit.
func (s *Sender) open(ctx context.Context, plain bool) (*line, error) {
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	conn, err := s.connect(ctx, "tcp", s.server.Address())
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", s.server.Address(), err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	client, err := s.greet(ctx, conn, plain)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = conn.Close()
		if ctx.Err() != nil {
			err = fmt.Errorf("no answer in time: %w", err)
		}
		return nil, fmt.Errorf("%s: %w", s.server.Address(), err)
	}
	return &line{conn: conn, smtp: client}, nil
}

// greet returns a client that is signed in, and encrypted unless the server is near.
func (s *Sender) greet(ctx context.Context, conn net.Conn, plain bool) (*smtp.Client, error) {
	near, settings, unverified := s.near(conn), s.tls, s.tls.RootCAs == nil && loopback(conn)
	if s.server.TLS {
		encrypted := tls.Client(conn, settings)
		if err := encrypted.HandshakeContext(ctx); err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
		conn = encrypted
	}
	client, err := smtp.NewClient(conn, s.server.Host)
	if err != nil {
		return nil, fmt.Errorf("greeting: %w", err)
	}
	if err = client.Hello(s.hello); err != nil {
		return nil, err
	}
	if !s.server.TLS {
		switch offered, _ := client.Extension("STARTTLS"); {
		case offered && !plain:
			if unverified { // no other user can listen there, so a self-signed certificate is sufficient
				settings = s.tls.Clone()
				settings.InsecureSkipVerify = true
			}
			if err = client.StartTLS(settings); err != nil {
				return nil, &handshakeError{err, unverified}
			}
		case !offered && !near:
			return nil, errors.New("the server does not offer STARTTLS: without it mail is sent only to this machine and to the networks of --outbound-allow")
		}
	}
	if s.server.User == "" {
		return client, nil
	}
	if err = client.Auth(s.auth(client)); err != nil {
		return nil, fmt.Errorf("sign in as %s: %w", s.server.User, err)
	}
	return client, nil
}

// auth chooses the sign-in method. The connection is encrypted, or trusted by the operator.
func (s *Sender) auth(client *smtp.Client) smtp.Auth {
	_, offered := client.Extension("AUTH")
	ways := strings.Fields(strings.ToUpper(offered))
	user, password := s.server.User, s.server.Password
	switch {
	case slices.Contains(ways, "PLAIN"):
	case slices.Contains(ways, "LOGIN"):
		return smtp.LoginAuth(user, password, s.server.Host, true)
	case slices.Contains(ways, "SCRAM-SHA-256"):
		return smtp.ScramSHA256Auth(user, password)
	case slices.Contains(ways, "CRAM-MD5"):
		return smtp.CRAMMD5Auth(user, password)
	}
	return smtp.PlainAuth("", user, password, s.server.Host, true)
}

// handshakeError is a handshake that failed after STARTTLS. optional means that the connection need not be encrypted.
type handshakeError struct {
	cause    error
	optional bool
}

func (e *handshakeError) Error() string { return "STARTTLS: " + e.cause.Error() }
func (e *handshakeError) Unwrap() error { return e.cause }

// loopback reports whether a server is on this machine.
func loopback(conn net.Conn) bool {
	ap, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	return err == nil && ap.Addr().Unmap().WithZone("").IsLoopback()
}

// near reports whether a server may be used without encryption.
func (s *Sender) near(conn net.Conn) bool {
	ap, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return false
	}
	addr := ap.Addr().Unmap().WithZone("")
	return addr.IsLoopback() || slices.ContainsFunc(s.plain, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// send sends a mail. again means that the server closed the connection before it received anything; unless keep,
// the connection is no longer usable.
func (l *line) send(ctx context.Context, m *gomail.Msg, to string, wait time.Duration) (out Outcome, keep, again bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer func() { keep = stop() && keep }()
	used := l.used
	l.used = true
	at, err := l.hand(m, to)
	if err == nil {
		return Outcome{Verdict: Sent, Code: 250}, true, false
	}
	out = judge(at, err)
	gone := out.Code == 0 || out.Code == 421
	if out.Code == 0 && ctx.Err() != nil {
		out.Text = "no answer in time"
	}
	keep = !gone && at != atData && l.smtp.Reset() == nil
	return out, keep, gone && used && at != atData && ctx.Err() == nil
}

// hand returns the failed step.
func (l *line) hand(m *gomail.Msg, to string) (step, error) {
	from, err := m.GetSender(false)
	if err != nil {
		return atMail, err
	}
	l.smtp.SkipSMTPUTF8(ascii(from) && ascii(to)) // relays bounce a mail that requires it if the next server lacks it
	if err = l.smtp.Mail(from); err != nil {
		return atMail, err
	}
	if err = l.smtp.Rcpt("<" + to + ">"); err != nil {
		return atRcpt, err
	}
	w, err := l.smtp.Data()
	if err != nil {
		return atData, err
	}
	if _, err = m.WriteTo(w); err != nil {
		return atData, err
	}
	return atData, w.Close()
}

// quit ends the session, with a short time limit.
func (l *line) quit() {
	_ = l.conn.SetDeadline(time.Now().Add(time.Second))
	_ = l.smtp.Quit()
	_ = l.conn.Close()
}

func ascii(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= 0x80 }) < 0
}
