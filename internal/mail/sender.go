package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Defaults and limits of a sender.
const (
	defWait    = 20 * time.Second // for opening a connection, and again for each mail
	defLines   = 8
	perLine    = 8                // mails of a batch that justify another connection
	idleBefore = 10 * time.Second // an unused line is closed
)

// Config contains the settings of a Sender.
type Config struct {
	Server Server
	From   string         // in the form of --mail-from: an address, or NAME <ADDRESS>
	Plain  []netip.Prefix // networks besides this machine on which encryption is optional
	Lines  int            // maximum number of connections; 0: 8
	Wait   time.Duration  // time limit for opening a connection, and for each mail; 0: 20 s each
	Now    func() time.Time
	Dial   func(ctx context.Context, network, address string) (net.Conn, error) // nil: net.Dialer
}

// Sender sends mails to one mail server. All methods may be called concurrently.
type Sender struct {
	server  Server
	from    *mail.Address
	hello   string
	plain   []netip.Prefix
	lines   int
	wait    time.Duration
	now     func() time.Time
	connect func(ctx context.Context, network, address string) (net.Conn, error)
	tls     *tls.Config

	mu     sync.Mutex
	idle   []*line // signed in, waiting for mails
	closed bool
}

// NewSender returns a sender. It connects when there is a mail.
func NewSender(c Config) (*Sender, error) {
	name, address, err := ParseSender(c.From)
	if err != nil {
		return nil, fmt.Errorf("the sender of mails %w", err)
	}
	_, host := split(address)
	s := &Sender{
		server: c.Server, from: &mail.Address{Name: name, Address: address}, hello: host, plain: c.Plain,
		lines: c.Lines, wait: c.Wait, now: c.Now, connect: c.Dial,
		tls: &tls.Config{MinVersion: tls.VersionTLS12, ServerName: c.Server.Host, RootCAs: c.Server.Roots},
	}
	if s.lines <= 0 {
		s.lines = defLines
	}
	if s.wait <= 0 {
		s.wait = defWait
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.connect == nil {
		s.connect = new(net.Dialer).DialContext
	}
	return s, nil
}

// Send sends mails and returns the outcome of each, in order. While the server is unavailable, no mail takes more
// than the time of one attempt. Mails left when ctx ends are also ServerAway.
func (s *Sender) Send(ctx context.Context, letters []Letter) []Outcome {
	out := make([]Outcome, len(letters))
	next := make(chan int, len(letters))
	for i := range letters {
		next <- i
	}
	var work sync.WaitGroup
	faults := make(chan error, s.lines)
	for range min(s.lines, (len(letters)+perLine-1)/perLine) {
		work.Go(func() { faults <- s.work(ctx, letters, out, next) })
	}
	work.Wait()
	close(faults)
	close(next)
	var away error
	for err := range faults {
		if err != nil {
			away = err
		}
	}
	for i := range next {
		out[i] = Outcome{Verdict: ServerAway, Text: s.hide(answerText(away.Error()))}
	}
	return out
}

// work sends mails until there are none left, or no connection can be opened for them.
func (s *Sender) work(ctx context.Context, letters []Letter, out []Outcome, next chan int) error {
	var l *line
	defer func() { s.keep(l) }()
	for len(next) > 0 {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("no time was left: %w", err)
		}
		if l == nil {
			var err error
			if l, err = s.line(ctx); err != nil {
				return err
			}
		}
		i, ok := take(next)
		if !ok {
			break
		}
		m, err := letters[i].message(s.from, s.now())
		if err != nil {
			out[i] = Outcome{Verdict: NoMailbox, Text: answerText(err.Error())}
			continue
		}
		result, keep, again := l.send(ctx, m, letters[i].To, s.wait)
		if !keep {
			_ = l.conn.Close()
			l = nil
		}
		if again {
			next <- i
			continue
		}
		result.Text = s.hide(result.Text)
		out[i] = result
	}
	return nil
}

func take(next <-chan int) (int, bool) {
	select {
	case i := <-next:
		return i, true
	default:
		return 0, false
	}
}

// Check connects like for a mail, checks whether the server accepts mails from our sender, and closes the
// connection.
func (s *Sender) Check(ctx context.Context) error {
	l, err := s.dial(ctx)
	if err != nil {
		return &lineError{s.hide(err.Error()), err}
	}
	defer l.quit()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	_ = l.conn.SetDeadline(time.Now().Add(s.wait)) // if it fails, so does the connection
	if err = l.smtp.Mail("<" + s.from.Address + ">"); err != nil {
		return errors.New(s.hide(fmt.Sprintf("%s does not accept mails from %s: %s", s.server.Address(), s.from.Address, answerText(err.Error()))))
	}
	return nil
}

// lineError is the reason why no connection could be opened, without the password.
type lineError struct {
	text  string
	cause error
}

func (e *lineError) Error() string { return e.text }
func (e *lineError) Unwrap() error { return e.cause }

// Close closes idle connections now, and those in use when their batch ends.
func (s *Sender) Close() {
	s.mu.Lock()
	idle := s.idle
	s.idle, s.closed = nil, true
	s.mu.Unlock()
	for _, l := range idle {
		l.idle.Stop()
		l.quit()
	}
}

// line returns an idle connection, or a new one.
func (s *Sender) line(ctx context.Context) (*line, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		l := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		l.idle.Stop() // if it has fired, it finds that the connection is in use
		return l, nil
	}
	s.mu.Unlock()
	return s.dial(ctx)
}

// keep makes a connection wait for more mails.
func (s *Sender) keep(l *line) {
	if l == nil {
		return
	}
	s.mu.Lock()
	closed := s.closed
	if !closed {
		l.idle = time.AfterFunc(idleBefore, func() { s.drop(l) })
		s.idle = append(s.idle, l)
	}
	s.mu.Unlock()
	if closed {
		l.quit()
	}
}

// drop closes a connection that was idle for too long.
func (s *Sender) drop(l *line) {
	s.mu.Lock()
	at := slices.Index(s.idle, l)
	if at >= 0 {
		s.idle = slices.Delete(s.idle, at, at+1)
	}
	s.mu.Unlock()
	if at >= 0 {
		l.quit()
	}
}

// hide removes the password from a text: a server may repeat what it received.
func (s *Sender) hide(text string) string {
	if s.server.Password == "" {
		return text
	}
	return strings.ReplaceAll(text, s.server.Password, "***")
}
