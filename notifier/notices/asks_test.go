package notices_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/sqltest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/ask"
)

// askers are two running instances with questions, and how an instance answers that dies right after its commit.
type askers struct {
	*twins
	asks  []*ask.Asks
	dying *ask.Asks
}

func newAskers(t *testing.T, url string) *askers {
	t.Helper()
	a := &askers{twins: newTwins(t, url)}
	for i, s := range a.stores {
		asks := ask.New(ask.Config{Store: s, NoticeOf: a.inbox.NoticeOf, Ended: a.notices[i].Wake, Log: slog.New(slog.DiscardHandler)})
		a.asks = append(a.asks, asks)
		background(t, asks.Run)
	}
	a.dying = ask.New(ask.Config{Store: a.stores[1], NoticeOf: a.inbox.NoticeOf})
	return a
}

// ask stores a question to these members of a role, which is open for some time.
func (a *askers) ask(t *testing.T, role string, to []notifier.User, rule notifier.AskRule) int64 {
	t.Helper()
	asked := &notifier.Ask{Rule: rule, Choices: []notifier.Choice{{ID: "yes", Label: "Yes", Comment: notifier.CommentNone}, {ID: "no", Label: "No", Comment: notifier.CommentNone}}}
	return a.keep(t, role, to, notifier.Extras{Ask: asked.Opened(time.Now())}, time.Hour)
}

func TestOfFiftyClicksOnTwoInstancesOneWinsAndEverybodySeesIt(t *testing.T) {
	t.Parallel()
	for name, url := range map[string]func() string{"sqlite": func() string { return "" }, "postgres": func() string { return sqltest.URL(t) }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAskers(t, url())
			users := a.members(t, "all", 50)
			id := a.ask(t, "all", users, notifier.AskRule{Needs: 1, Within: time.Hour})
			for _, u := range users {
				testkit.Eventually(t, "everybody has it", func() bool { return a.row(t, u, id) != nil })
			}
			errs := make([]error, len(users))
			var clicks sync.WaitGroup
			for i, u := range users {
				clicks.Go(func() {
					_, _, errs[i] = a.asks[i%2].Answer(t.Context(), by(u), notifier.Answering{Ask: id, User: u, Choice: []notifier.ChoiceID{"yes", "no"}[i/2%2]})
				})
			}
			clicks.Wait()
			winner := slices.Index(errs, nil)
			if winner < 0 {
				t.Fatal(errs)
			}
			outcome := []notifier.ChoiceID{"yes", "no"}[winner/2%2]
			for i, err := range errs {
				if refused := (*notifier.RefusedAnswerError)(nil); i != winner && (!errors.As(err, &refused) || refused.Asked.Outcome != outcome) {
					t.Errorf("%d of the others: %v, want that %s has won with %s", i, err, users[winner].Name, outcome)
				}
			}
			for _, u := range users {
				testkit.Eventually(t, "every row follows", func() bool {
					e := a.row(t, u, id)
					return e.Read && e.Ask.State == notifier.AskAnswered && e.Ask.Outcome == outcome && e.Ask.Answers[0].User == users[winner].Name
				})
			}
		})
	}
}

// A question has at most one outcome, which nothing changes, and every row follows: whatever users, two instances, kills and
// a loss of Redis do meanwhile.
func TestEveryRowFollowsTheOneOutcomeOfAQuestionWhateverHappens(t *testing.T) {
	t.Parallel()
	a := newAskers(t, "")
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		p := &askPlay{askers: a, role: fmt.Sprint("role", run), began: time.Now(), left: map[string]bool{}, gone: map[string]bool{}, cleared: map[string]bool{}}
		p.users = a.members(t, p.role, 4)
		rule := notifier.AskRule{Needs: rapid.IntRange(0, 3).Draw(r, "needs"), Within: rapid.SampledFrom([]time.Duration{50 * time.Millisecond, time.Hour}).Draw(r, "within")}
		if rule.Needs > 0 && rapid.Bool().Draw(r, "otherwise") {
			rule.Otherwise = "no"
		}
		p.id = a.ask(t, p.role, p.users, rule)
		for range rapid.IntRange(1, 8).Draw(r, "steps") {
			p.step(t, r)
			p.check(t, r)
		}
		p.end(t, r)
	})
}

// askPlay is a question to a role, and what was seen of it.
type askPlay struct {
	*askers
	role    string
	users   []notifier.User
	id      int64
	began   time.Time
	left    map[string]bool // who has left the role
	gone    map[string]bool // who was deleted
	cleared map[string]bool // who has deleted the row
	ended   *notifier.Ask   // as first seen
}

func (p *askPlay) step(t *testing.T, r *rapid.T) {
	t.Helper()
	i := rapid.IntRange(0, 1).Draw(r, "instance")
	u := rapid.SampledFrom(p.users).Draw(r, "user")
	var err error
	deed := rapid.SampledFrom([]string{"arrive", "answer", "answer", "answer and die", "withdraw", "leave", "delete the row", "delete the user", "lose redis"}).Draw(r, "deed")
	t.Logf("question %d: %s, %s on instance %d", p.id, deed, u.Name, i)
	switch deed {
	case "arrive":
		if !p.gone[u.Name] && !p.cleared[u.Name] {
			testkit.Eventually(t, "the question arrives", func() bool { return p.row(t, u, p.id) != nil })
		}
	case "answer":
		p.answers(t, r)
	case "answer and die":
		_, _, err = p.dying.Answer(t.Context(), by(u), notifier.Answering{Ask: p.id, User: u, Choice: "yes"})
		p.die(t)
	case "withdraw":
		err = p.asks[i].Withdraw(t.Context(), notifier.Actor{}, p.id)
	case "leave":
		if !p.left[u.Name] && !p.gone[u.Name] {
			err = p.stores[i].RemoveRole(t.Context(), u.Name, p.role)
			p.left[u.Name] = true
		}
	case "delete the row":
		if _, err = p.inbox.Delete(t.Context(), u.Seq, fmt.Sprint("news:notice_id:", p.id)); err == nil {
			p.cleared[u.Name] = true
		}
	case "delete the user":
		err = p.deleteUser(t, p.stores[i], u)
		p.gone[u.Name] = true
	case "lose redis":
		err = p.loseRedis(t, p.began)
	}
	if err != nil && !errors.Is(err, notifier.ErrConflict) && !errors.Is(err, notifier.ErrNotFound) {
		r.Fatal(err)
	}
}

// answers has several users answer at a time, on both instances.
func (p *askPlay) answers(t *testing.T, r *rapid.T) {
	t.Helper()
	some := rapid.SliceOfN(rapid.SampledFrom(p.users), 1, 4).Draw(r, "users")
	errs := make([]error, len(some))
	var all sync.WaitGroup
	for i, u := range some {
		choice := rapid.SampledFrom([]notifier.ChoiceID{"yes", "no"}).Draw(r, "choice")
		all.Go(func() {
			_, _, errs[i] = p.asks[i%2].Answer(t.Context(), by(u), notifier.Answering{Ask: p.id, User: u, Choice: choice})
		})
	}
	all.Wait()
	for i, err := range errs {
		switch {
		case errors.Is(err, notifier.ErrConflict), errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			r.Fatal(err)
		case p.left[some[i].Name] || p.gone[some[i].Name]:
			r.Fatalf("%s has left and may answer", some[i].Name)
		}
	}
}

// check compares the question with what was seen before, on both instances.
func (p *askPlay) check(t *testing.T, r *rapid.T) {
	t.Helper()
	for _, s := range p.stores {
		q, err := s.Question(t.Context(), p.id)
		if errors.Is(err, notifier.ErrNotFound) && len(p.gone) == len(p.users) {
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		if is := q.Asked; p.ended == nil && is.Ended() {
			p.ended = &is
		} else if p.ended != nil && (is.State != p.ended.State || is.Outcome != p.ended.Outcome) {
			r.Fatalf("it was %s, %q and is %s, %q", p.ended.State, p.ended.Outcome, is.State, is.Outcome)
		}
	}
}

// end ends the question if nothing has, and waits until every row shows the end.
func (p *askPlay) end(t *testing.T, r *rapid.T) {
	t.Helper()
	if err := p.asks[0].Withdraw(t.Context(), notifier.Actor{}, p.id); err != nil && !errors.Is(err, notifier.ErrConflict) && !errors.Is(err, notifier.ErrNotFound) {
		r.Fatal(err)
	}
	p.check(t, r)
	for _, u := range p.users {
		if p.gone[u.Name] {
			continue
		}
		testkit.Eventually(t, "the row follows", func() bool {
			e := p.row(t, u, p.id)
			if e == nil {
				return p.cleared[u.Name]
			}
			named := slices.ContainsFunc(e.Ask.Answers, func(is notifier.AskAnswer) bool { return p.gone[is.User] })
			return e.Read && e.Ask.State == p.ended.State && e.Ask.Outcome == p.ended.Outcome && !named
		})
	}
}
