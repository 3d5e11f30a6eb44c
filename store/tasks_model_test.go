package store_test

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// A task has one holder at a time, done is final, and both of its notices say what SQL says of it: whatever users do at a time on two
// instances, and whether or not it is passed on, edited or retracted, or users leave the role or are deleted meanwhile.
func TestATaskHasOneHolderWhateverHappensMeanwhile(t *testing.T) {
	playOnBoth(t, 10, newTaskModel)
}

// taskModel is a task of a role that may be passed on to another one, and what was seen of it.
type taskModel struct {
	db     *database
	stores []*store.Store
	rule   notifier.TakeRule
	role   string
	users  []notifier.User // the last one is who it is passed on to
	id     int64
	passed int64 // the notice that was sent to pass it on
	edits  int
	left   map[string]bool // who left the role, or was deleted
	gone   map[string]bool // who was deleted
	over   bool            // it was retracted
	done   *notifier.Take  // as first seen
}

func newTaskModel(t *testing.T, r *rapid.T, db *database, stores []*store.Store, run int) *taskModel {
	t.Helper()
	m := &taskModel{db: db, stores: stores, role: fmt.Sprint("crew", run), left: map[string]bool{}, gone: map[string]bool{}}
	for i := range 3 {
		m.users = append(m.users, addUser(t, stores[0], fmt.Sprint("t", run, "-", i), m.role))
	}
	lead := addUser(t, stores[0], fmt.Sprint("t", run, "-lead"))
	m.rule = notifier.TakeRule{Within: time.Hour}
	if rapid.IntRange(0, 3).Draw(r, "else") > 0 {
		m.rule.Else = named(lead)
	}
	m.id = task(t, stores[0], db, notifier.Take{Rule: m.rule}, notifier.Target{Role: m.role}, m.users...)
	m.users = append(m.users, lead)
	return m
}

func (m *taskModel) step(t *testing.T, r *rapid.T) {
	t.Helper()
	s := m.stores[rapid.IntRange(0, 1).Draw(r, "instance")]
	u := rapid.SampledFrom(m.users).Draw(r, "user")
	switch rapid.SampledFrom([]string{"deeds", "deeds", "deeds", "time", "pass on", "edit", "retract", "leave", "delete"}).Draw(r, "deed") {
	case "deeds":
		m.deeds(t, r)
	case "time":
		m.db.clock.move(40 * time.Minute)
	case "pass on":
		if m.late(t, r) {
			m.passOn(t, r, s)
		}
	case "edit":
		m.edit(t, r, s)
	case "retract":
		n, err := s.Notice(t.Context(), m.id)
		if err == nil && !n.State.TakenBack() {
			_, err = s.RetractNotice(t.Context(), notifier.Actor{}, m.id, n.State, notifier.StateRetracting)
			m.over = true
		}
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			r.Fatal(err)
		}
	case "leave":
		if !m.left[u.Name] && u.Name != m.users[len(m.users)-1].Name {
			if err := s.RemoveRole(t.Context(), u.Name, m.role); err != nil {
				r.Fatal(err)
			}
			m.left[u.Name] = true
		}
	case "delete":
		if !m.gone[u.Name] {
			forget(t, s, u.Name)
			m.left[u.Name], m.gone[u.Name] = true, true
		}
	}
}

// passOn sends the notice that passes the task on, or records that there is nobody.
func (m *taskModel) passOn(t *testing.T, r *rapid.T, s *store.Store) {
	t.Helper()
	lead := m.users[len(m.users)-1]
	if m.over || m.gone[lead.Name] {
		if err := s.KeepLate(t.Context(), m.id); err != nil {
			r.Fatal(err)
		}
		return
	}
	m.passed = task(t, s, m.db, notifier.Take{Of: m.id, Waited: time.Hour}, m.rule.Else, lead)
}

func (m *taskModel) edit(t *testing.T, r *rapid.T, s *store.Store) {
	t.Helper()
	n, err := s.Notice(t.Context(), m.id)
	if err == nil {
		m.edits++
		n.Title = fmt.Sprint("Edited ", m.edits)
		err = s.EditNotice(t.Context(), notifier.Actor{}, &n)
	}
	if err != nil && !errors.Is(err, notifier.ErrNotFound) && !errors.Is(err, notifier.ErrConflict) {
		r.Fatal(err)
	}
}

// late reports whether SQL lists the task as one to pass on.
func (m *taskModel) late(t *testing.T, r *rapid.T) bool {
	t.Helper()
	found, err := m.stores[0].LateTasks(t.Context(), 100)
	if err != nil {
		r.Fatal(err)
	}
	return slices.ContainsFunc(found, func(is notifier.Task) bool { return is.ID == m.id })
}

// deeds has several users act at a time, on both instances, each by the row that they have.
func (m *taskModel) deeds(t *testing.T, r *rapid.T) {
	t.Helper()
	some := rapid.SliceOfN(rapid.SampledFrom(m.users), 1, 6).Draw(r, "users")
	errs, deeds := make([]error, len(some)), make([]notifier.TaskDeed, len(some))
	had, err := m.stores[0].Task(t.Context(), m.id)
	if err != nil && !errors.Is(err, notifier.ErrNotFound) {
		r.Fatal(err)
	}
	var all sync.WaitGroup
	for i, u := range some {
		deeds[i] = rapid.SampledFrom([]notifier.TaskDeed{notifier.DeedTake, notifier.DeedTake, notifier.DeedDone, notifier.DeedGiveBack}).Draw(r, "what")
		row := m.id
		if u.Name == m.users[len(m.users)-1].Name {
			row = m.passed
		}
		all.Go(func() { _, errs[i] = do(t, m.stores[i%2], deeds[i], row, u) })
	}
	all.Wait()
	for i, err := range errs {
		u := some[i]
		switch {
		case errors.Is(err, notifier.ErrConflict), errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			r.Fatal(err)
		case m.over, m.gone[u.Name], m.left[u.Name] && (had.Holder != u.Seq || deeds[i] == notifier.DeedTake):
			r.Fatalf("%s may %s it", u.Name, deeds[i])
		}
	}
}

// check compares the task on both instances with its history, with what was seen before, and with its notices.
func (m *taskModel) check(t *testing.T, r *rapid.T) {
	t.Helper()
	for _, s := range m.stores {
		is, err := s.Task(t.Context(), m.id)
		if errors.Is(err, notifier.ErrNotFound) && m.nobodyIsLeft() {
			return
		}
		if err != nil {
			r.Fatal(err)
		}
		m.replay(t, r, s, &is)
		switch {
		case slices.ContainsFunc(m.users, func(u notifier.User) bool { return u.Seq == is.Holder && m.gone[u.Name] }):
			r.Fatalf("user %d, who was deleted, has it", is.Holder)
		case m.done != nil && !is.Taken.DoneAt.Equal(m.done.DoneAt):
			r.Fatalf("it was done at %s, and is %+v", m.done.DoneAt, is.Taken)
		case m.done == nil && is.Taken.State() == notifier.TaskDone:
			m.done = &is.Taken
		}
		m.follows(t, r, s, &is)
	}
}

// nobodyIsLeft reports whether the task may be deleted: all its recipients were, and nobody else has it or is to get it.
func (m *taskModel) nobodyIsLeft() bool {
	crew, lead := m.users[:len(m.users)-1], m.users[len(m.users)-1]
	return !slices.ContainsFunc(crew, func(u notifier.User) bool { return !m.gone[u.Name] }) && m.passed == 0 &&
		(m.rule.Else.IsZero() || m.over || m.done != nil || m.gone[lead.Name])
}

// replay repeats what the audit log says of the task, deed by deed: each was possible, and they lead to its state.
func (m *taskModel) replay(t *testing.T, r *rapid.T, s *store.Store, is *notifier.Task) {
	t.Helper()
	log, err := s.NoticeLog(t.Context(), m.id, 200)
	if err != nil {
		r.Fatal(err)
	}
	state, holder := notifier.TaskOpen, notifier.Ref{}
	for _, e := range slices.Backward(log) {
		mine := state == notifier.TaskTaken && holder.ID == e.Actor.ID
		switch left := state == notifier.TaskTaken && holder.ID == notifier.DeletedUser().ID; {
		case e.Action == "task.take" && (state == notifier.TaskOpen || left): // a deleted user gives it back without an entry
			state, holder = notifier.TaskTaken, e.Actor
		case e.Action == "task.done" && mine:
			state = notifier.TaskDone
		case e.Action == "task.give-back" && mine:
			state, holder = notifier.TaskOpen, notifier.Ref{}
		case strings.HasPrefix(e.Action, "task.") && e.Action != "task.pass-on":
			r.Fatalf("%s by %s while user %s has it, %s", e.Action, e.Actor, holder.ID, state)
		}
	}
	if state == notifier.TaskTaken && holder.ID == notifier.DeletedUser().ID {
		state, holder = notifier.TaskOpen, notifier.Ref{}
	}
	if who := strconv.FormatInt(is.Holder, 10); is.Taken.State() != state || is.Holder > 0 && who != holder.ID {
		r.Fatalf("it is %s with user %s; by its log %s with %s", is.Taken.State(), who, state, holder.ID)
	}
}

// follows compares the notices of the task with it.
func (m *taskModel) follows(t *testing.T, r *rapid.T, s *store.Store, is *notifier.Task) {
	t.Helper()
	for _, id := range []int64{m.id, m.passed} {
		n, err := s.Notice(t.Context(), id)
		if errors.Is(err, notifier.ErrNotFound) && (id == 0 || id == m.passed && m.gone[m.users[len(m.users)-1].Name]) {
			continue
		}
		if err != nil {
			r.Fatal(err)
		}
		if x := n.Extras.Take; x.By != is.Taken.By || !x.At.Equal(is.Taken.At) || !x.DoneAt.Equal(is.Taken.DoneAt) ||
			n.Title != is.Title || n.State.TakenBack() != is.State.TakenBack() || (x.Of > 0) != (id == m.passed) {
			r.Fatalf("notice %d, %q in state %s, shows %+v; the task, %q in state %s, is %+v", id, n.Title, n.State, x, is.Title, is.State, is.Taken)
		}
	}
	if is.Passed != m.passed {
		r.Fatalf("it was passed on by notice %d; want %d", is.Passed, m.passed)
	}
}
