package mail_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carillonhq/carillon/internal/mail"
	"github.com/carillonhq/carillon/internal/mailtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// sender returns a sender to a server.
func sender(t *testing.T, s *mailtest.Server, change ...func(*mail.Config)) *mail.Sender {
	t.Helper()
	server, err := mail.ParseServer(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	server.Roots = s.Roots
	c := mail.Config{
		Server: server, From: "Carillon <notices@example.com>",
		Now: func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) },
	}
	for _, f := range change {
		f(&c)
	}
	sending, err := mail.NewSender(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sending.Close)
	return sending
}

func letterTo(to string) mail.Letter {
	return mail.Letter{ID: "1.2@example.com", To: to, Locale: "en", Subject: "Aisle 7", Text: "Restock.\n", HTML: "<p>Restock.</p>"}
}

// send sends one letter.
func send(t *testing.T, s *mail.Sender, l mail.Letter) mail.Outcome {
	t.Helper()
	return s.Send(t.Context(), []mail.Letter{l})[0]
}

func TestEachAnswerHasItsVerdict(t *testing.T) {
	t.Parallel()
	answers := map[string]error{
		"full": mailtest.Answer(450, 4, 2, 2, "mailbox full"), "gone": mailtest.Answer(550, 5, 1, 1, "no such user"), "null": mailtest.Answer(556, 5, 1, 10, "null MX"),
		"policy": mailtest.Answer(550, 5, 7, 1, "not today"), "sender": mailtest.Answer(550, 5, 1, 8, "sender's domain unknown"), "cut": mailtest.ErrCut, "bye": mailtest.Answer(421, 4, 3, 2, "closing"),
	}
	after := map[string]error{
		"spam": mailtest.Answer(554, 5, 7, 1, "looks like spam"), "late": mailtest.Answer(550, 5, 1, 1, "no such user after all"), "busy": mailtest.Answer(451, 4, 3, 0, "try again"), "lost": mailtest.ErrCut,
	}
	name := func(address string) string { return strings.TrimSuffix(address, "@example.com") }
	s := mailtest.Start(t, mailtest.Options{
		Rcpt: func(to string) error { return answers[name(to)] },
		Data: func(l mailtest.Letter) error { return after[name(l.To)] },
	})
	sending := sender(t, s, func(c *mail.Config) { c.Lines = 1 })
	for to, want := range map[string]mail.Outcome{
		"alice": {Verdict: mail.Sent, Code: 250}, "full": {Verdict: mail.Later, Code: 450, Text: "4.2.2 mailbox full"}, "gone": {Verdict: mail.NoMailbox, Code: 550, Text: "5.1.1 no such user"},
		"null": {Verdict: mail.NoMailbox, Code: 556}, "policy": {Verdict: mail.Refused, Code: 550}, "sender": {Verdict: mail.Refused, Code: 550}, "cut": {Verdict: mail.Delayed}, "bye": {Verdict: mail.Delayed, Code: 421},
		"spam": {Verdict: mail.Refused, Code: 554}, "late": {Verdict: mail.NoMailbox, Code: 550}, "busy": {Verdict: mail.Delayed, Code: 451}, "lost": {Verdict: mail.Delayed},
		"not an address": {Verdict: mail.NoMailbox},
	} {
		got := send(t, sending, letterTo(to+"@example.com"))
		if got.Verdict != want.Verdict || got.Code != want.Code || want.Text != "" && got.Text != want.Text || got.Verdict != mail.Sent && got.Text == "" {
			t.Errorf("%s: %+v, want %+v", to, got, want)
		}
		if got = send(t, sending, letterTo("bob@example.com")); got.Verdict != mail.Sent {
			t.Errorf("the letter after %s: %+v", to, got)
		}
	}
}

func TestALineIsUsedAgainAndReplacedWhenTheServerHasCutIt(t *testing.T) {
	t.Parallel()
	s := mailtest.Start(t, mailtest.Options{PerLine: 3})
	sending := sender(t, s, func(c *mail.Config) { c.Lines = 1 })
	letters := make([]mail.Letter, 8)
	for i := range letters {
		letters[i] = letterTo(fmt.Sprintf("user%d@example.com", i))
	}
	for i, out := range sending.Send(t.Context(), letters) {
		if out.Verdict != mail.Sent {
			t.Errorf("letter %d: %+v", i, out)
		}
	}
	if out := send(t, sending, letterTo("bob@example.com")); out.Verdict != mail.Sent {
		t.Errorf("the ninth: %+v", out)
	}
	if got, lines := len(s.Letters()), s.Lines(); got != 9 || lines != 3 {
		t.Errorf("%d letters over %d lines, want 9 over 3", got, lines)
	}
}

func TestAServerThatIsAwayIsNoFaultOfTheAddress(t *testing.T) {
	t.Parallel()
	closed := mailtest.Silent(t) // it does not respond either
	refusing := mailtest.Start(t, mailtest.Options{Mail: func(string) error { return mailtest.Answer(550, 5, 7, 1, "we do not know you") }})
	locked := mailtest.Start(t, mailtest.Options{User: "carillon", Password: "hunter2"})
	strange := mailtest.Start(t, mailtest.Options{TLS: true})
	for name, of := range map[string]struct {
		server *mailtest.Server
		change func(*mail.Config)
	}{
		"silent":            {refusing, func(c *mail.Config) { c.Server = at(t, closed); c.Wait = 50 * time.Millisecond }},
		"closed":            {refusing, func(c *mail.Config) { c.Server = at(t, "127.0.0.1:1") }},
		"refuses us":        {refusing, func(*mail.Config) {}},
		"wrong password":    {locked, func(c *mail.Config) { c.Server.Password = "hunter3" }},
		"no password":       {locked, func(c *mail.Config) { c.Server.User = "" }},
		"no AUTH":           {refusing, func(c *mail.Config) { c.Server.User, c.Server.Password = "carillon", "hunter2" }},
		"wrong certificate": {strange, func(c *mail.Config) { c.Server.Roots = nil }},
		"no TLS":            {refusing, func(c *mail.Config) { c.Server.TLS = true; c.Wait = 5 * time.Second }},
	} {
		sending := sender(t, of.server, of.change)
		letters := make([]mail.Letter, 20)
		for i := range letters {
			letters[i] = letterTo("alice@example.com")
		}
		for i, out := range sending.Send(t.Context(), letters) {
			if out.Verdict != mail.ServerAway || out.Text == "" || strings.Contains(out.Text, "hunter") {
				t.Fatalf("%s, letter %d: %+v", name, i, out)
			}
		}
		if err := sending.Check(t.Context()); err == nil || strings.Contains(err.Error(), "hunter") {
			t.Errorf("%s: the check returns %v", name, err)
		}
	}
}

func at(t *testing.T, addr string) mail.Server {
	t.Helper()
	s, err := mail.ParseServer("smtp://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMailIsEncryptedUnlessTheServerIsNear(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]mailtest.Options{"STARTTLS": {STARTTLS: true, User: "u", Password: "p"}, "TLS": {TLS: true, User: "u", Password: "p"}} {
		s := mailtest.Start(t, o)
		sending := sender(t, s)
		if out := send(t, sending, letterTo("alice@example.com")); out.Verdict != mail.Sent {
			t.Errorf("%s: %+v", name, out)
		}
		if err := sending.Check(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	plain := mailtest.Start(t, mailtest.Options{User: "u", Password: "p"})
	far := func(c *mail.Config) {
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			return distant{conn}, err
		}
	}
	if out := send(t, sender(t, plain), letterTo("alice@example.com")); out.Verdict != mail.Sent {
		t.Errorf("on this machine: %+v", out)
	}
	if out := send(t, sender(t, plain, far), letterTo("alice@example.com")); out.Verdict != mail.ServerAway || !strings.Contains(out.Text, "STARTTLS") {
		t.Errorf("elsewhere: %+v", out)
	}
	if err := sender(t, plain, far).Check(t.Context()); err == nil || !strings.Contains(err.Error(), "--outbound-allow") {
		t.Errorf("the check elsewhere: %v", err)
	}
	allowed := func(c *mail.Config) { c.Plain = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} }
	if out := send(t, sender(t, plain, far, allowed), letterTo("alice@example.com")); out.Verdict != mail.Sent {
		t.Errorf("in an allowed network: %+v", out)
	}
}

// distant is a connection that claims to lead to another machine.
type distant struct{ net.Conn }

func (distant) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 25} }

func TestAServerThatFallsSilentHoldsNothingUp(t *testing.T) {
	t.Parallel()
	hold, begun := make(chan struct{}), make(chan struct{}, 2)
	s := mailtest.Start(t, mailtest.Options{Data: func(mailtest.Letter) error { begun <- struct{}{}; <-hold; return nil }})
	t.Cleanup(func() { close(hold) })
	if out := send(t, sender(t, s, func(c *mail.Config) { c.Wait = 2 * time.Second }), letterTo("alice@example.com")); out.Verdict != mail.Delayed || out.Code != 0 {
		t.Errorf("silent after the letter: %+v", out)
	}
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	outs := sender(t, s, func(c *mail.Config) { c.Lines = 1 }).Send(ctx, []mail.Letter{letterTo("alice@example.com"), letterTo("bob@example.com")})
	if outs[0].Verdict != mail.Delayed || outs[1].Verdict != mail.ServerAway {
		t.Errorf("when the time is over: %+v", outs)
	}
}

func TestARelayOnThisMachineMayHaveACertificateOfItsOwn(t *testing.T) {
	t.Parallel()
	own := func(c *mail.Config) { c.Server.Roots = nil }
	s := mailtest.Start(t, mailtest.Options{STARTTLS: true})
	if out := send(t, sender(t, s, own), letterTo("alice@example.com")); out.Verdict != mail.Sent {
		t.Errorf("on this machine: %+v", out)
	}
	far := func(c *mail.Config) {
		c.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, addr)
			return distant{conn}, err
		}
	}
	if out := send(t, sender(t, s, own, far), letterTo("alice@example.com")); out.Verdict != mail.ServerAway || !strings.Contains(out.Text, "unknown authority") {
		t.Errorf("elsewhere: %+v", out)
	}
	if out := send(t, sender(t, s, far, own, func(c *mail.Config) { c.Server.Roots = s.Roots }), letterTo("alice@example.com")); out.Verdict != mail.Sent {
		t.Errorf("elsewhere, with --smtp-ca: %+v", out)
	}
	broken := mailtest.Start(t, mailtest.Options{BrokenTLS: true})
	if out := send(t, sender(t, broken, own), letterTo("alice@example.com")); out.Verdict != mail.Sent {
		t.Errorf("whose handshake fails: %+v", out)
	}
	if out := send(t, sender(t, broken, own, far), letterTo("alice@example.com")); out.Verdict != mail.ServerAway {
		t.Errorf("elsewhere, whose handshake fails: %+v", out)
	}
}
