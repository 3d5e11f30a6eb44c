package soak

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/carillonhq/carillon/internal/testkit"
)

// traffic is the activity of several users until it is stopped.
type traffic struct {
	stopped context.CancelFunc
	all     sync.WaitGroup
}

// stop ends the activity, and waits until every user has received their last response.
func (w *traffic) stop() {
	w.stopped()
	w.all.Wait()
}

// send makes three users send to readers and roles, sometimes with a subject that was used before. They retract some
// of the notices.
func (s *site) send() *traffic {
	s.t.Helper()
	return s.work(3, staff, func(ctx context.Context, p *person) { p.sendOne(ctx) })
}

// read makes every reader open their inbox and delete entries.
func (s *site) read() *traffic {
	s.t.Helper()
	ctx, cancel := context.WithCancel(s.t.Context())
	w := &traffic{stopped: cancel}
	for n := 1; n <= readers; n++ {
		w.all.Go(func() { s.person(reader(n)).repeat(ctx, func(ctx context.Context, p *person) { p.readSome(ctx) }) })
	}
	s.t.Cleanup(w.stop)
	return w
}

func (s *site) work(people int, name string, do func(context.Context, *person)) *traffic {
	ctx, cancel := context.WithCancel(s.t.Context())
	w := &traffic{stopped: cancel}
	for range people {
		w.all.Go(func() { s.person(name).repeat(ctx, do) })
	}
	s.t.Cleanup(w.stop)
	return w
}

// repeat repeats do until ctx ends. The last call is completed.
func (p *person) repeat(ctx context.Context, do func(context.Context, *person)) {
	p.signIn(ctx)
	for ctx.Err() == nil {
		do(context.WithoutCancel(ctx), p)
	}
}

func (p *person) sendOne(ctx context.Context) {
	form := url.Values{"target": {"user"}, "to": {reader(1 + rand.IntN(readers))}, "type": {"news"}, "title": {"Something happened"}}
	switch n := rand.IntN(40); {
	case n == 0:
		form.Set("target", "role")
		form.Set("to", "crowd")
	case n < 8:
		form.Set("target", "role")
		form.Set("to", "few")
	case n < 16:
		form.Set("subject", fmt.Sprintf("order:%d", rand.IntN(3)))
	}
	to, err := p.post(ctx, "/staff/send", form)
	if err != nil {
		if refused(err) {
			p.s.book.note(func() { p.s.book.refused++ })
		}
		pause(ctx)
		return
	}
	id, err := strconv.ParseInt(strings.TrimPrefix(to, "/staff/notices/"), 10, 64)
	if err != nil {
		p.signIn(ctx) // the response was the login page: the fault may have ended the session
		return
	}
	p.s.book.note(func() { p.s.book.accepted[id] = true })
	if form.Get("subject") == "" && rand.IntN(20) == 0 {
		p.retract(ctx, id)
	}
}

func (p *person) retract(ctx context.Context, id int64) {
	_, err := p.post(ctx, fmt.Sprintf("/staff/notices/%d/retract", id), url.Values{})
	p.s.book.note(func() {
		if err == nil {
			p.s.book.retracted[id] = true
		} else if !p.sure || !errors.Is(err, statusError(404)) {
			p.s.book.unsettled[id] = true
		}
	})
}

// readSome opens the inbox, or deletes a row that no other notice can replace: one whose key contains the id of its
// notice.
func (p *person) readSome(ctx context.Context) {
	if rand.IntN(3) > 0 {
		if to, err := p.ask(ctx, "GET", "/inbox", nil); err != nil {
			pause(ctx)
		} else if strings.HasPrefix(to, "/login") {
			p.signIn(ctx)
		}
		pause(ctx) // users do not open the inbox a hundred times per second
		return
	}
	fields, err := p.s.rdb.LRange(ctx, p.s.keys.List(p.s.seqs[p.name]), 0, 20).Result()
	if err != nil || len(fields) == 0 {
		pause(ctx)
		return
	}
	key, _, _ := strings.Cut(fields[rand.IntN(len(fields))], ":has_read:")
	id, err := strconv.ParseInt(strings.TrimPrefix(key, "news:notice_id:"), 10, 64)
	if err != nil {
		return
	}
	to, err := p.post(ctx, "/inbox/delete", url.Values{"key": {key}})
	gone := entry{p.name, id}
	p.s.book.note(func() {
		switch {
		case err == nil && !strings.HasPrefix(to, "/login"):
			p.s.book.deleted[gone] = true
		case err == nil, errors.Is(err, statusError(404)):
		default:
			p.s.book.maybe[gone] = true
		}
	})
	if err != nil {
		pause(ctx)
	}
}

// wait waits until this many more notices have been accepted.
func (s *site) wait(t *testing.T, more int) {
	t.Helper()
	until := s.book.sent() + more
	testkit.Eventually(t, fmt.Sprintf("%d more notices are accepted", more), func() bool { return s.book.sent() >= until })
}
