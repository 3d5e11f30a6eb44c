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

// Defaults and bounds of a sender.
const (
	defWait    = 20 * time.Second // for opening a line, and again for each letter
	defLines   = 8
	perLine    = 8                // letters of a batch for which another line is worth opening
	idleBefore = 10 * time.Second // an unused line is closed
)

// Config is what a Sender needs.
type Config struct {
	Server Server
	From   string         // as --mail-from: an address, or NAME <ADDRESS>
	Plain  []netip.Prefix // networks besides this machine whose servers need not encrypt
	Lines  int            // the most lines at a time; 0: 8
	Wait   time.Duration  // the limit for opening a line, and that for each letter; 0: 20 s each
	Now    func() time.Time
	Dial   func(ctx context.Context, network, address string) (net.Conn, error) // nil: net.Dialer
	TLS    *tls.Config                                                          // nil: the authorities of this machine
}

// Sender hands letters to one mail server. All methods may be called concurrently.
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
	idle   []*line // signed in, waiting for letters
	closed bool
}

// NewSender returns a sender. It opens no line before there is a letter.
func NewSender(c Config) (*Sender, error) {
	name, address, err := ParseSender(c.From)
	if err != nil {
		return nil, fmt.Errorf("the sender of mails %w", err)
	}
	_, host := split(address)
	s := &Sender{
		server: c.Server, from: &mail.Address{Name: name, Address: address}, hello: host, plain: c.Plain,
		lines: c.Lines, wait: c.Wait, now: c.Now, connect: c.Dial, tls: c.TLS.Clone(),
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
	if s.tls == nil {
		s.tls = &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.Server.Roots}
	}
	s.tls.ServerName = c.Server.Host
	return s, nil
}

// Send hands over letters and says how each fared, in order. While the server is away no letter costs
// more than the time of one attempt. The letters left when ctx ends are ServerAway, too.
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

// work sends letters until there are none left, or no line can be opened for them.
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

// Check opens a line as a letter would, asks whether the server takes letters from our sender, and closes
// the line.
func (s *Sender) Check(ctx context.Context) error {
	l, err := s.dial(ctx)
	if err != nil {
		return &lineError{s.hide(err.Error()), err}
	}
	defer l.quit()
	stop := context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	defer stop()
	_ = l.conn.SetDeadline(time.Now().Add(s.wait)) // if it fails, so does the line
	if err = l.smtp.Mail("<" + s.from.Address + ">"); err != nil {
		return errors.New(s.hide(fmt.Sprintf("%s does not take mails from %s: %s", s.server.Address(), s.from.Address, answerText(err.Error()))))
	}
	return nil
}

// lineError is why no line could be opened, without the password.
type lineError struct {
	text  string
	cause error
}

func (e *lineError) Error() string { return e.text }
func (e *lineError) Unwrap() error { return e.cause }

// Close closes the lines that no letter uses, and those in use when their batch ends.
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

// line returns a waiting line, or a new one.
func (s *Sender) line(ctx context.Context) (*line, error) {
	s.mu.Lock()
	if n := len(s.idle); n > 0 {
		l := s.idle[n-1]
		s.idle = s.idle[:n-1]
		s.mu.Unlock()
		l.idle.Stop() // if it has fired, it finds that the line is in use
		return l, nil
	}
	s.mu.Unlock()
	return s.dial(ctx)
}

// keep lets a line wait for the next letters.
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

// drop closes a line that has waited for too long.
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

// hide takes the password out of a text: a server may repeat what it was told.
func (s *Sender) hide(text string) string {
	if s.server.Password == "" {
		return text
	}
	return strings.ReplaceAll(text, s.server.Password, "***")
}
