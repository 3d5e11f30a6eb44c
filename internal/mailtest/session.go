package mailtest

import (
	"errors"
	"io"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// session is one connection to the server.
type session struct {
	server   *Server
	conn     *smtp.Conn
	open     bool // no sign-in required, or already done
	from, to string
	taken    int
}

func (l *session) AuthMechanisms() []string {
	if l.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (l *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != l.server.options.User || password != l.server.options.Password {
			return Answer(535, 5, 7, 8, "the password "+password+" is wrong")
		}
		l.open = true
		return nil
	}), nil
}

func (l *session) Mail(from string, _ *smtp.MailOptions) error {
	_, encrypted := l.conn.TLSConnectionState()
	switch o := l.server.options; {
	case !l.open:
		return Answer(530, 5, 7, 0, "sign in first")
	case o.STARTTLS && !encrypted:
		return Answer(530, 5, 7, 0, "STARTTLS first")
	case o.PerLine > 0 && l.taken >= o.PerLine:
		return l.answer(ErrCut)
	}
	l.from = from
	return l.ask(l.server.options.Mail, from)
}

func (l *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	l.to = to
	return l.ask(l.server.options.Rcpt, to)
}

func (l *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	letter, err := parse(raw)
	if err != nil {
		return Answer(554, 5, 6, 0, err.Error())
	}
	letter.From, letter.To = l.from, l.to
	if l.server.options.Data != nil {
		if err = l.server.options.Data(letter); err != nil {
			return l.answer(err)
		}
	}
	l.taken++
	l.server.mu.Lock()
	l.server.letters = append(l.server.letters, letter)
	l.server.mu.Unlock()
	return nil
}

func (l *session) Reset()        {}
func (l *session) Logout() error { return nil }

func (l *session) ask(f func(string) error, address string) error {
	if f == nil {
		return nil
	}
	return l.answer(f(address))
}

func (l *session) answer(err error) error {
	if errors.Is(err, ErrCut) {
		_ = l.conn.Conn().Close()
	}
	return err
}
