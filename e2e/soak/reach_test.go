package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/pushtest"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

// post is a mail server and a push service that stop a message in the middle, so that its sender can be killed
// there.
type post struct {
	mail *mailtest.Server
	push *pushtest.Service

	mu    sync.Mutex
	at    place
	hit   chan struct{} // closed when a message has arrived
	going chan struct{} // closed when the message may continue
}

// place is where a message stops.
type place string

const (
	nowhere   place = ""
	mailGiven place = "before a mail is taken"
	mailTaken place = "before a mail is answered"
	pushGiven place = "before a push is taken"
	pushTaken place = "before a push is answered"
)

func openPost(t *testing.T) *post {
	t.Helper()
	p := &post{push: pushtest.Start(t)}
	p.mail = mailtest.Start(t, mailtest.Options{
		Rcpt: func(string) error { p.stop(mailGiven); return nil },
		Data: func(mailtest.Letter) error { p.stop(mailTaken); return nil },
	})
	p.push.Strike(func(taken bool) { p.stop(map[bool]place{false: pushGiven, true: pushTaken}[taken]) })
	return p
}

// flags returns the flags with which a server sends here, without delay.
func (p *post) flags() []string {
	return []string{
		"--smtp-url=smtp://" + p.mail.Addr, "--mail-from=shop@example.com", "--mail-default=0s", "--mail-rate=10000",
		"--push-hosts=127.0.0.1", "--outbound-allow=127.0.0.1",
	}
}

// reaches gives the first readers a mail address and a device.
func (p *post) reaches(t *testing.T, s *site, users int) {
	t.Helper()
	for n := 1; n <= users; n++ {
		address := reader(n) + "@example.com"
		if _, _, err := s.db.PutUser(t.Context(), notifier.PutUser{Name: reader(n), Email: &address}); err != nil {
			t.Fatal(err)
		}
		when := notifier.When{}
		if err := s.db.PutPreferences(t.Context(), s.seqs[reader(n)], notifier.PutPreferences{Mail: &when}); err != nil {
			t.Fatal(err)
		}
		device := notifier.NewDevice{
			Seq: s.seqs[reader(n)], Endpoint: p.push.URL + "/" + reader(n), Keys: append(p.push.Sub.P256DH[:], p.push.Sub.Auth[:]...), Label: "Firefox",
		}
		if _, _, err := s.db.AddDevice(t.Context(), device); err != nil {
			t.Fatal(err)
		}
	}
}

// arm makes the next message stop at a place.
func (p *post) arm(at place) (hit <-chan struct{}, goOn func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.hit, p.going = at, make(chan struct{}), make(chan struct{})
	going := p.going
	return p.hit, func() { close(going) }
}

func (p *post) stop(at place) {
	p.mu.Lock()
	if p.at != at {
		p.mu.Unlock()
		return
	}
	p.at = nowhere
	going := p.going
	close(p.hit)
	p.mu.Unlock()
	<-going
}

// TestKillingTheSenderOfAMessageLeavesNobodyUntoldAndMakesNoSecondMessage kills instances between the claim of a
// message and its sending, and between its sending and the record that it was sent. Then a message may arrive twice,
// as the same mail or push.
func TestKillingTheSenderOfAMessageLeavesNobodyUntoldAndMakesNoSecondMessage(t *testing.T) {
	t.Parallel()
	for i, database := range []string{"sqlite", "postgres"} {
		for instances := 1; instances <= 2; instances++ {
			t.Run(fmt.Sprintf("%s, instances: %d", database, instances), func(t *testing.T) {
				t.Parallel()
				sqlURL := ""
				if database == "postgres" {
					sqlURL = sqltest.URL(t)
				}
				killSenders(t, sqlURL, instances, 2*i+instances)
			})
		}
	}
}

// killSenders kills at one place after the other, starting with place number first.
func killSenders(t *testing.T, sqlURL string, instances, first int) {
	t.Helper()
	p, users, places := openPost(t), max(*kills/2, 2), []place{mailGiven, mailTaken, pushGiven, pushTaken}
	h := plain(redistest.Own(t), sqlURL)
	h.instances, h.flags = instances, p.flags()
	s := newSite(t, h)
	p.reaches(t, s, users)
	for n := 1; n <= users; n++ {
		hit, goOn := p.arm(places[(first+n)%len(places)])
		s.carillon("send", "--to", reader(n), "--type", "order", "--title", fmt.Sprintf("Order %d", n))
		testkit.Closed(t, fmt.Sprintf("a message goes out after %d kills", n-1), hit)
		slot := rand.IntN(len(s.slots))
		s.slots[slot].Load().kill()
		goOn()
		s.start(slot)
	}
	p.told(t, users)
}

// told waits until that many users have a mail and a push, and checks that no user has two different ones.
func (p *post) told(t *testing.T, users int) {
	t.Helper()
	testkit.Until(t, fmt.Sprintf("all %d users are told", users), func() (saw string, ok bool) {
		mails, pushes := map[string]map[string]bool{}, map[string]map[string]bool{}
		note := func(of map[string]map[string]bool, user, id, text string) {
			if of[user] == nil {
				of[user] = map[string]bool{}
			}
			if of[user][id] = true; len(of[user]) > 1 {
				t.Fatalf("%s has %d messages: %v", user, len(of[user]), of[user])
			}
			if want := "Order " + strings.TrimPrefix(user, "u"); !strings.Contains(text+`"`, want+`"`) {
				t.Fatalf("%s received %q, not %q", user, text, want)
			}
		}
		letters, received := p.mail.Letters(), p.push.Received()
		for _, l := range letters {
			note(mails, strings.TrimSuffix(l.To, "@example.com"), l.Header.Get("Message-Id"), l.Subject)
		}
		for _, r := range received {
			note(pushes, r.Path[1:], r.Topic, string(r.Text))
		}
		if len(mails) == users && len(pushes) == users {
			t.Logf("%d users told; %d mails and %d pushes came twice", users, len(letters)-users, len(received)-users)
			return "", true
		}
		return fmt.Sprintf("%d mails, %d pushes", len(mails), len(pushes)), false
	})
}

// TestAnEmptiedOrOlderRedisTellsNothingAgain loses all of Redis, or its last changes, after messages were sent,
// including the decisions about them stored there.
func TestAnEmptiedOrOlderRedisTellsNothingAgain(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(t *testing.T, server *redistest.Server, file []byte){
		"emptied": func(t *testing.T, server *redistest.Server, _ []byte) {
			t.Helper()
			if err := server.Client(t).FlushAll(t.Context()).Err(); err != nil {
				t.Fatal(err)
			}
		},
		"older": func(t *testing.T, server *redistest.Server, file []byte) {
			t.Helper()
			server.Crash(t)
			server.RestartFrom(t, file)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var file []byte
			p, server := openPost(t), redistest.Own(t)
			h := plain(server, "")
			h.flags = p.flags()
			s := newSite(t, h)
			const before, after = 4, 8
			p.reaches(t, s, after)
			order := func(n int) {
				s.carillon("send", "--to", reader(n), "--type", "order", "--title", fmt.Sprintf("Order %d", n))
			}
			for n := 1; n <= before; n++ {
				if n == before/2 {
					file = server.Save(t)
				}
				order(n)
			}
			p.told(t, before)
			lose(t, server, file)
			for n := before + 1; n <= after; n++ { // each is sent after a round over all users
				order(n)
				p.told(t, n)
			}
			if mails, pushes := len(p.mail.Letters()), len(p.push.Received()); mails != after || pushes != after {
				t.Errorf("%d users received %d mails and %d pushes", after, mails, pushes)
			}
		})
	}
}
