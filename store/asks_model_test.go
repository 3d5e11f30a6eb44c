package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// A question has at most one outcome, which nothing changes: neither answers of several users at a time on two instances, nor
// expiry, withdrawal, changes of roles, or deletions of users.
func TestAnOutcomeNeverChangesWhateverHappensMeanwhile(t *testing.T) {
	playOnBoth(t, 8, newAskModel)
}

// askModel is a question to a role, and what was seen of it.
type askModel struct {
	db     *database
	stores []*store.Store
	rule   notifier.AskRule
	role   string
	id     int64
	users  []notifier.User
	left   map[string]bool             // who left the role, or was deleted
	said   map[int64]notifier.ChoiceID // by user number, as confirmed
	ended  *notifier.Ask               // as first seen
	gone   bool                        // the notice was deleted with its last recipient
	mu     sync.Mutex
}

func newAskModel(t *testing.T, r *rapid.T, db *database, stores []*store.Store, run int) *askModel {
	t.Helper()
	m := &askModel{db: db, stores: stores, role: fmt.Sprint("role", run), left: map[string]bool{}, said: map[int64]notifier.ChoiceID{}}
	m.rule = notifier.AskRule{Needs: rapid.IntRange(0, 3).Draw(r, "needs")}
	if m.rule.Needs > 0 && rapid.Bool().Draw(r, "otherwise") {
		m.rule.Otherwise = "reject"
	}
	for i := range 4 {
		m.users = append(m.users, addUser(t, stores[0], fmt.Sprint("u", run, "-", i), m.role))
	}
	m.id = ask(t, stores[0], db, m.rule, notifier.Target{Role: m.role}, m.users...)
	return m
}

func (m *askModel) step(t *testing.T, r *rapid.T) {
	t.Helper()
	s := rapid.SampledFrom(m.stores).Draw(r, "instance")
	u := rapid.SampledFrom(m.users).Draw(r, "user")
	switch rapid.SampledFrom([]string{"answers", "answers", "answers", "time", "expire", "withdraw", "leave", "delete"}).Draw(r, "deed") {
	case "answers":
		m.answers(t, r)
	case "time":
		m.db.clock.move(25 * time.Minute)
	case "expire":
		if _, err := s.ExpireAsks(t.Context(), 100); err != nil {
			r.Fatal(err)
		}
	case "withdraw":
		if err := s.WithdrawAsk(t.Context(), notifier.Actor{}, m.id); err != nil && !errors.Is(err, notifier.ErrConflict) && !errors.Is(err, notifier.ErrNotFound) {
			r.Fatal(err)
		}
	case "leave":
		if m.left[u.Name] {
			return
		}
		if err := s.RemoveRole(t.Context(), u.Name, m.role); err != nil {
			r.Fatal(err)
		}
		m.left[u.Name] = true
	case "delete":
		d, _, err := s.BeginDeletion(t.Context(), u.Name)
		if errors.Is(err, notifier.ErrNotFound) {
			return
		}
		if err == nil {
			err = s.Forget(t.Context(), d, nil, nil)
		}
		if err == nil {
			err = s.EndDeletion(t.Context(), d.Seq)
		}
		if err != nil {
			r.Fatal(err)
		}
		m.left[u.Name] = true
	}
}

// answers has several users answer at a time, on both instances.
func (m *askModel) answers(t *testing.T, r *rapid.T) {
	t.Helper()
	var all sync.WaitGroup
	for i, u := range rapid.SliceOfN(rapid.SampledFrom(m.users), 1, 6).Draw(r, "users") {
		choice := rapid.SampledFrom([]notifier.ChoiceID{"approve", "reject"}).Draw(r, "choice")
		all.Go(func() {
			_, mine, err := answer(t, m.stores[i%2], m.id, u, choice, "because")
			m.mu.Lock()
			defer m.mu.Unlock()
			switch before, known := m.said[u.Seq]; {
			case errors.Is(err, notifier.ErrConflict), errors.Is(err, notifier.ErrNotFound):
			case err != nil:
				t.Errorf("answer: %v", err)
			case m.left[u.Name]:
				t.Errorf("%s has left and may answer", u.Name)
			case mine.Choice != choice || known && before != choice:
				t.Errorf("%s said %s, then %s, which counts as %s", u.Name, before, choice, mine.Choice)
			default:
				m.said[u.Seq] = choice
			}
		})
	}
	all.Wait()
}

// check compares the question with what was confirmed and seen before.
func (m *askModel) check(t *testing.T, r *rapid.T) {
	t.Helper()
	q, err := m.stores[0].Question(t.Context(), m.id)
	if errors.Is(err, notifier.ErrNotFound) && len(m.left) == len(m.users) {
		m.gone = true
		return
	}
	if err != nil || m.gone {
		r.Fatalf("the question: %v; gone before: %v", err, m.gone)
	}
	count := map[notifier.ChoiceID]int{}
	for _, choice := range m.said {
		count[choice]++
	}
	if len(q.Answers) != len(m.said) {
		r.Fatalf("%d answers, %d confirmed", len(q.Answers), len(m.said))
	}
	a := q.Asked
	switch enough := a.Outcome != "" && count[a.Outcome] >= m.rule.Needs; {
	case a.State == notifier.AskOpen && (a.Outcome != "" || m.rule.Needs > 0 && (count["approve"] >= m.rule.Needs || count["reject"] >= m.rule.Needs)):
		r.Fatalf("open with outcome %q and %v", a.Outcome, count)
	case a.State == notifier.AskAnswered && m.rule.Needs > 0 && !enough, a.State == notifier.AskAnswered && m.rule.Needs == 0 && a.Outcome != "":
		r.Fatalf("answered with %q by %v", a.Outcome, count)
	case a.State == notifier.AskExpired && a.Outcome != m.rule.Otherwise, a.State == notifier.AskWithdrawn && a.Outcome != "":
		r.Fatalf("%s with %q", a.State, a.Outcome)
	case a.Ended() && (q.Extras.Ask.State != a.State || q.Extras.Ask.Outcome != a.Outcome || q.Revision == 0):
		r.Fatalf("the rows say %s, %q in revision %d", q.Extras.Ask.State, q.Extras.Ask.Outcome, q.Revision)
	case m.ended != nil && (m.ended.State != a.State || m.ended.Outcome != a.Outcome):
		r.Fatalf("it was %s, %q and is %s, %q", m.ended.State, m.ended.Outcome, a.State, a.Outcome)
	}
	if a.Ended() && m.ended == nil {
		m.ended = &a
	}
}
