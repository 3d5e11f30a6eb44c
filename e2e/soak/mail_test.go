package soak

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/mailtest"
	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/sqltest"
)

// struck is a mail server that stops a letter in the middle, so that whoever sends it can be killed there.
type struck struct {
	*mailtest.Server

	mu    sync.Mutex
	at    string        // "claimed": before the letter is given; "sent": after it; empty: nowhere
	hit   chan struct{} // closed when a letter is there
	going chan struct{} // closed when it may go on
}

func strike(t *testing.T) *struck {
	t.Helper()
	s := &struck{}
	s.Server = mailtest.Start(t, mailtest.Options{
		Rcpt: func(string) error { s.stop("claimed"); return nil },
		Data: func(mailtest.Letter) error { s.stop("sent"); return nil },
	})
	return s
}

// arm has the next letter stop at a place.
func (s *struck) arm(at string) (hit <-chan struct{}, goOn func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.hit, s.going = at, make(chan struct{}), make(chan struct{})
	going := s.going
	return s.hit, func() { close(going) }
}

func (s *struck) stop(at string) {
	s.mu.Lock()
	if s.at != at {
		s.mu.Unlock()
		return
	}
	s.at = ""
	going := s.going
	close(s.hit)
	s.mu.Unlock()
	<-going
}

// TestKillingWhoSendsMailLeavesNobodyUntoldAndMakesNoSecondMessage kills instances between the claim of a message and
// its sending, and between its sending and the note that it was sent. A mail may come twice then; it is the same mail.
func TestKillingWhoSendsMailLeavesNobodyUntoldAndMakesNoSecondMessage(t *testing.T) {
	t.Parallel()
	for _, database := range []string{"sqlite", "postgres"} {
		for _, instances := range []int{1, 2} {
			t.Run(fmt.Sprintf("%s, instances: %d", database, instances), func(t *testing.T) {
				t.Parallel()
				sqlURL := ""
				if database == "postgres" {
					sqlURL = sqltest.URL(t)
				}
				killSenders(t, sqlURL, instances)
			})
		}
	}
}

func killSenders(t *testing.T, sqlURL string, instances int) {
	t.Helper()
	smtp, users := strike(t), max(*kills/2, 2)
	h := plain(redistest.Own(t), sqlURL)
	h.instances, h.flags = instances, []string{"--smtp-url=smtp://" + smtp.Addr, "--mail-from=shop@example.com", "--mail-default=0s", "--mail-rate=10000"}
	s := newSite(t, h)
	for n := 1; n <= users; n++ {
		s.carillon("user", "mail", reader(n), reader(n)+"@example.com")
	}
	for n := 1; n <= users; n++ {
		hit, goOn := smtp.arm([]string{"claimed", "sent"}[n%2])
		s.carillon("send", "--to", reader(n), "--type", "order", "--title", fmt.Sprintf("Order %d", n))
		select {
		case <-hit:
		case <-time.After(2 * patience):
			t.Fatalf("no mail goes out after %d kills", n-1)
		}
		slot := rand.IntN(len(s.slots))
		s.slots[slot].Load().kill()
		goOn()
		s.start(slot)
	}
	told(t, smtp, users)
}

// told waits until so many users have a mail, and checks that nobody has two different ones.
func told(t *testing.T, smtp *struck, users int) {
	t.Helper()
	deadline := time.Now().Add(3 * patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		ids := map[string]map[string]bool{}
		letters := smtp.Letters()
		for _, l := range letters {
			if ids[l.To] == nil {
				ids[l.To] = map[string]bool{}
			}
			ids[l.To][l.Header.Get("Message-Id")] = true
			if want := "Order " + strings.TrimSuffix(strings.TrimPrefix(l.To, "u"), "@example.com"); l.Subject != want {
				t.Fatalf("%s was told %q, not %q", l.To, l.Subject, want)
			}
		}
		for to, all := range ids {
			if len(all) > 1 {
				t.Fatalf("%s has %d messages: %v", to, len(all), all)
			}
		}
		if len(ids) == users {
			t.Logf("%d users told, %d mails came twice", users, len(letters)-len(ids))
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d users are untold", users-len(ids), users)
		}
		<-tick.C
	}
}

// TestAnEmptiedRedisMailsNothingAgain loses all of Redis after mails went out, and all that was decided about them there.
func TestAnEmptiedRedisMailsNothingAgain(t *testing.T) {
	t.Parallel()
	smtp := strike(t)
	h := plain(redistest.Own(t), "")
	h.flags = []string{"--smtp-url=smtp://" + smtp.Addr, "--mail-from=shop@example.com", "--mail-default=0s"}
	s := newSite(t, h)
	const before, after = 5, 10
	for n := 1; n <= after; n++ {
		s.carillon("user", "mail", reader(n), reader(n)+"@example.com")
	}
	order := func(n int) {
		s.carillon("send", "--to", reader(n), "--type", "order", "--title", fmt.Sprintf("Order %d", n))
	}
	for n := 1; n <= before; n++ {
		order(n)
	}
	told(t, smtp, before)
	if err := s.rdb.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	for n := before + 1; n <= after; n++ { // each is told after a round that looks at all
		order(n)
		told(t, smtp, n)
	}
	if all := len(smtp.Letters()); all != after {
		t.Errorf("%d users were told by %d mails", after, all)
	}
}
