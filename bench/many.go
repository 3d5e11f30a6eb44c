//go:build linux

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/carillonhq/carillon/bench/load"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/store"
)

const (
	crowdRole   = "everybody"
	crowdSize   = 100_000
	besideRate  = 100 // notices per second to single users at the same time
	besideUsers = 500 // who are connected
)

// manySeries contains the results of a notice to very many users.
type manySeries struct{ warm, cold, alone, besideWarm, besideCold, wrong series }

// manyInboxes measures the time from sending one notice to a role of 100,000 until the last inbox contains it,
// through the API of a running server. Meanwhile notices to single users are sent at a fixed rate; their time counts
// from when they were due until the browser receives them.
func (w *world) manyInboxes(ctx context.Context) ([]row, error) {
	s := manySeries{series{}, series{}, series{}, series{}, series{}, series{}}
	for range w.opt.repeat {
		if err := w.reset(ctx); err != nil {
			return nil, err
		}
		if err := w.manyOnce(ctx, s); err != nil {
			return nil, err
		}
	}
	return []row{
		s.warm.row("7", "one notice to 100,000 warm inboxes, all written", "s", atMost(3)),
		s.besideWarm.row("7", "to single users meanwhile, until their browser has it, p99", "ms", atMost(10)),
		s.cold.row("7", "one notice to 100,000 cold inboxes", "s", atMost(10)),
		s.besideCold.row("7", "to single users meanwhile, p99", "ms", shown()),
		s.alone.row("7", "to single users while nothing else is sent, p99", "ms", shown()),
		s.wrong.row("7", "events lost, doubled or misrouted", "", never()),
	}, nil
}

func (w *world) manyOnce(ctx context.Context, s manySeries) (err error) {
	t, err := w.ourPeer(ctx, func(st *store.Store) error { return members(ctx, st, w.opt.scaled(crowdSize)) })
	if err != nil {
		return err
	}
	defer func() { err = stopped(t.process, err) }()
	cfg := w.fleet(t.target)
	cfg.Streams = min(besideUsers, w.opt.streams)
	cfg.Users = cfg.Streams
	fleet, err := allStreams(ctx, cfg)
	if err != nil {
		return err
	}
	defer fleet.Close()
	if err := t.dial(ctx); err != nil {
		return err
	}
	defer t.calls.close()
	alone, wrong, err := w.singlesBeside(ctx, t, fleet)
	if err != nil {
		return err
	}
	s.wrong.add(ours, wrong)
	s.alone.add(ours, alone.Milliseconds(0.99))
	for _, to := range []struct{ took, beside series }{{s.cold, s.besideCold}, {s.warm, s.besideWarm}} {
		took, beside, err := w.sendToRoleBeside(ctx, t, fleet, func(wrong float64) { s.wrong.add(ours, wrong) })
		if err != nil {
			return err
		}
		to.took.add(ours, took.Seconds())
		to.beside.add(ours, beside.Milliseconds(0.99))
	}
	return nil
}

// singlesBeside sends notices to single users for a second.
func (w *world) singlesBeside(ctx context.Context, t *peer, fleet *load.Fleet) (load.Histogram, float64, error) {
	users := min(besideUsers, w.opt.streams)
	r, _, err := w.sent(ctx, fleet, besideRate, func(run int64) error { return w.paced(ctx, t.target, run, besideRate, besideRate, users) })
	return r.Latency, wrongOf(r, besideRate), err
}

// sendToRoleBeside sends a notice to the role, and notices to single users until all members have it. It calls wrong
// with the number of those that were lost, doubled or misrouted.
func (w *world) sendToRoleBeside(ctx context.Context, t *peer, fleet *load.Fleet, wrong func(float64)) (took time.Duration, beside load.Histogram, err error) {
	done := make(chan error, 1)
	go func() {
		var err error
		took, err = t.sendToRole(ctx)
		done <- err
	}()
	for {
		h, faults, err := w.singlesBeside(ctx, t, fleet)
		if err != nil {
			return 0, beside, errors.Join(err, <-done)
		}
		beside.Merge(&h)
		wrong(faults)
		select {
		case err := <-done:
			return took, beside, err
		default:
		}
	}
}

// members adds the users of the role, who are not connected.
func members(ctx context.Context, st *store.Store, count int) error {
	n := 0
	_, err := st.ImportUsers(ctx, count, func() (notifier.NewUser, int, error) {
		if n == count {
			return notifier.NewUser{}, n, io.EOF
		}
		n++
		return notifier.NewUser{Name: "member" + strconv.Itoa(n), Audience: audience, Roles: []string{crowdRole}}, n, nil
	}, nil)
	if err != nil {
		return fmt.Errorf("make the members of a role: %w", err)
	}
	return nil
}

// sendToRole sends a notice to the role and returns the time until all its inboxes contain it.
func (p *peer) sendToRole(ctx context.Context) (took time.Duration, err error) {
	var sent struct {
		ID    int64  `json:"id"`
		State string `json:"state"`
	}
	body, err := json.Marshal(posted{Target: notifier.Target{Role: crowdRole}, Type: "stock", Title: "To all of them", Link: "/stock"})
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := p.ask(ctx, http.MethodPost, "/notices", body, &sent); err != nil {
		return 0, err
	}
	for sent.State != string(notifier.StateSent) {
		if err := pause(ctx, 20*time.Millisecond); err != nil {
			return 0, err
		}
		if err := p.ask(ctx, http.MethodGet, "/notices/"+strconv.FormatInt(sent.ID, 10), nil, &sent); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// ask calls the API and reads the response.
func (p *peer) ask(ctx context.Context, method, path string, body []byte, into any) error {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.addr+"/api/v1"+path, bytes.NewReader(body)) //nolint:gosec // the address belongs to the server started by this benchmark
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+p.token)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r) //nolint:gosec // to the server that this benchmark has started
	if err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode/100 != 2 {
		return fmt.Errorf("%s %s is answered %s", method, path, answer.Status)
	}
	return json.NewDecoder(answer.Body).Decode(into)
}

// confirmAndSend sends a draft as the form does when nothing has to be confirmed.
func confirmAndSend(ctx context.Context, p *notices.Notices, d notifier.Draft) (notifier.Notice, error) {
	sure, err := p.Confirm(ctx, d)
	if err != nil {
		return notifier.Notice{}, err
	}
	return p.Send(ctx, notifier.Actor{Ref: notifier.KeyRef("bench")}, sure, nil)
}
