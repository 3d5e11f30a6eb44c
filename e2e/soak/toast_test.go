package soak

import (
	"context"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
)

func TestToastsAreShownOnceAndDespiteKillsAtLeastOnce(t *testing.T) {
	h := plain(redistest.Own(t), "")
	h.instances = 3
	s := newSite(t, h)
	c := s.screens()
	c.open(1, readers/2)
	others := c.open(readers/2+1, readers)

	// No instance is killed; half of the readers leave and return.
	senders := s.toasts()
	s.wait(t, 60)
	others.stop()
	s.wait(t, 30)
	others = c.open(readers/2+1, readers)
	s.wait(t, 10)
	senders.stop()
	s.within(t, patience, c.missing)
	quiet := c.shown()

	// Instances are killed, and some browsers are closed with a toast that they have not shown.
	c.frail.Store(true)
	senders = s.toasts()
	deaths := max(*kills/3, 1)
	for range deaths {
		s.wait(t, 1+rand.IntN(20))
		others.stop()
		slot := rand.IntN(len(s.slots))
		s.slots[slot].Load().kill()
		s.wait(t, 1+rand.IntN(20))
		s.start(slot)
		others = c.open(readers/2+1, readers)
	}
	senders.stop()
	s.within(t, patience, c.missing)

	all, again := c.shown(), 0
	for what, n := range all {
		if quiet[what] > 0 && n > 1 {
			t.Errorf("%s was shown %d times, although no instance was killed", what, n)
		}
		if n > 1 {
			again++
		}
	}
	t.Logf("%d toasts were shown, %d of them while %d instances were killed and %d browsers closed before they showed one; %d were shown more than once",
		len(all), len(all)-len(quiet), deaths, len(c.faint), again)
}

// toasts makes two users send notices with toasts, to one reader or to a few.
func (s *site) toasts() *traffic {
	s.t.Helper()
	return s.work(2, staff, func(ctx context.Context, p *person) {
		form := url.Values{
			"target": {"user"}, "to": {reader(1 + rand.IntN(readers))}, "type": {"news"}, "title": {"Something happened"}, "toast": {"1"},
		}
		if rand.IntN(10) == 0 {
			form.Set("target", "role")
			form.Set("to", "few")
		}
		to, err := p.post(ctx, "/staff/send", form)
		var id int64
		if err == nil {
			id, err = strconv.ParseInt(strings.TrimPrefix(to, "/staff/notices/"), 10, 64)
		}
		if err != nil {
			pause(ctx)
			return
		}
		s.book.note(func() { s.book.accepted[id] = true })
	})
}
