// Package ask runs questions: it passes answers to SQL, which decides; ends questions whose time is up; and lets callers wait
// for the end. A question is accepted and delivered as the notice that it is, by package notices, and its end reaches
// the rows as an edit of that notice, which SQL makes due in the transaction that ends it.
package ask

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

const (
	endEvery  = 500 * time.Millisecond // how often questions whose time is up are ended
	endPage   = 100
	watchEach = 500 * time.Millisecond // how often an instance looks for ended questions that somebody waits for
)

// Store is where questions are decided; see package store for each method.
type Store interface {
	Question(ctx context.Context, id int64) (notifier.Question, error)
	Answer(ctx context.Context, by notifier.Actor, a notifier.Answering) (notifier.Question, notifier.AskAnswer, error)
	WithdrawAsk(ctx context.Context, by notifier.Actor, id int64) error
	ExpireAsks(ctx context.Context, limit int) (ended []int64, err error)
	EndedAsks(ctx context.Context, ids []int64) (ended []int64, err error)
	OpenAsks(ctx context.Context, most int) (ids []int64, err error)
	AskedIn(ctx context.Context, ids []int64) ([]notifier.OpenAsk, error)
}

// Config holds the dependencies of Asks. Zero fields of the second group default to the values in their comments.
type Config struct {
	Store Store
	// NoticeOf returns the notice whose row with this key a user has, in the inbox or put away; notifier.ErrNotFound: none.
	NoticeOf func(ctx context.Context, seq int64, key string) (int64, error)
	Lease    lease.Lease // one instance at a time ends questions
	Ended    func()      // called after a question has ended: its notice is due; nil: not called

	Log   *slog.Logger  // slog.Default()
	Watch time.Duration // how often SQL is asked for the end of questions that are waited for: 500 ms
}

// Asks are the questions of an installation.
type Asks struct {
	c     Config
	waits *waits
	open  open
}

// New returns Asks that answer and wait immediately. Run ends questions, and wakes those who wait for a question that another
// instance ends.
func New(c Config) *Asks {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	if c.Watch <= 0 {
		c.Watch = watchEach
	}
	if c.Ended == nil {
		c.Ended = func() {}
	}
	return &Asks{c: c, waits: newWaits()}
}

// Run works until ctx ends, and then returns nil.
func (a *Asks) Run(ctx context.Context) error {
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		return lease.Work{Stage: "ask", Lease: a.c.Lease, Every: endEvery, Do: a.expire, Log: a.c.Log}.Run(ctx)
	})
	g.Go(func() error {
		return lease.Work{Stage: "ask", Every: a.c.Watch, Do: a.watch, Log: a.c.Log}.Run(ctx)
	})
	return g.Wait()
}

// Answer answers a question for a user. Only a recipient who still has its row, and is still in its target, may answer: for others it
// returns notifier.ErrNotFound. The same answer again returns the first one. Other errors are a *notifier.InvalidError on choice
// or comment, and a *notifier.RefusedAnswerError if the question has ended or the user has given another answer.
func (a *Asks) Answer(ctx context.Context, by notifier.Actor, is notifier.Answering) (notifier.Question, notifier.AskAnswer, error) {
	is.Normalise()
	q, err := a.c.Store.Question(ctx, is.Ask)
	if err != nil {
		return q, notifier.AskAnswer{}, err
	}
	has, err := a.c.NoticeOf(ctx, is.User.Seq, q.Key())
	if err == nil && has != q.ID {
		err = notifier.ErrNotFound // a newer notice has the key
	}
	if err != nil {
		return q, notifier.AskAnswer{}, fmt.Errorf("answer question %d: %w", is.Ask, err)
	}
	q, mine, err := a.c.Store.Answer(ctx, by, is)
	if q.Asked.Ended() { // by this answer, or because its time was up
		a.ended(is.Ask)
	}
	return q, mine, err
}

// Withdraw ends an open question without an outcome; its rows stay and say so. It returns notifier.ErrNotFound, or
// a *notifier.RefusedAnswerError for one that has ended.
func (a *Asks) Withdraw(ctx context.Context, by notifier.Actor, id int64) error {
	err := a.c.Store.WithdrawAsk(ctx, by, id)
	if err == nil {
		a.ended(id)
	}
	return err
}

// expire ends the questions whose time is up.
func (a *Asks) expire(ctx context.Context) error {
	for {
		ended, err := a.c.Store.ExpireAsks(ctx, endPage)
		if len(ended) > 0 {
			a.ended(ended...)
		}
		if err != nil || len(ended) < endPage {
			return err
		}
	}
}

// ended has the rows follow, and wakes those who wait here.
func (a *Asks) ended(ids ...int64) {
	a.waits.wake(ids)
	a.c.Ended()
}
