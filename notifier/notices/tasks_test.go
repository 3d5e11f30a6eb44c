package notices_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/notices"
	"github.com/carillonhq/carillon/notifier/task"
)

// takers are two running instances with tasks, and how an instance acts that dies right after its commit.
type takers struct {
	*twins
	tasks []*task.Tasks
	dying *task.Tasks
}

func newTakers(t *testing.T, url string) *takers {
	t.Helper()
	w := &takers{twins: newTwins(t, url)}
	for i := range w.stores {
		w.tasks = append(w.tasks, task.New(w.taskConfig(i)))
	}
	c := w.taskConfig(1)
	c.Follow = func(context.Context, *notifier.Notice) {}
	w.dying = task.New(c)
	return w
}

func (w *takers) taskConfig(instance int) task.Config {
	p := w.notices[instance]
	return task.Config{Store: w.stores[instance], NoticeOf: w.inbox.NoticeOf, Pass: p.PassOn, Follow: p.Follow, Log: slog.New(slog.DiscardHandler)}
}

// passOn passes on what is late, on both instances at a time, until nothing is.
func (w *takers) passOn(t *testing.T) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error)
	for _, on := range w.tasks {
		go func() { ended <- on.Run(ctx) }()
	}
	testkit.Eventually(t, "nothing is late", func() bool { return len(w.late(t)) == 0 })
	stop()
	for range w.tasks {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// passOnAndDie passes on what is late, on an instance that dies once SQL has the notice which does that.
func (w *takers) passOnAndDie(t *testing.T) {
	t.Helper()
	if !slices.ContainsFunc(w.late(t), func(is notifier.Task) bool { return !is.State.TakenBack() }) {
		return
	}
	ctx, die := context.WithCancel(t.Context())
	defer die()
	c := w.taskConfig(1)
	c.Pass = func(ctx context.Context, late *notifier.Task) (notifier.Notice, error) {
		defer die()
		return w.twins.dying.PassOn(ctx, late)
	}
	if err := task.New(c).Run(ctx); err != nil {
		t.Error(err)
	}
}

func (w *takers) late(t *testing.T) []notifier.Task {
	t.Helper()
	late, err := w.store.LateTasks(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	return late
}

// A task has one holder at most, done is final, and every row and every list follows: whatever users, two instances, kills and a loss
// of Redis do meanwhile, and whether it is passed on, edited or retracted, or expires.
func TestEveryRowFollowsTheOneHolderOfATaskWhateverHappens(t *testing.T) {
	t.Parallel()
	w := newTakers(t, "")
	run := 0
	rapid.Check(t, func(r *rapid.T) {
		run++
		p := newTaskPlay(t, r, w, run)
		for range rapid.IntRange(1, 10).Draw(r, "steps") {
			p.step(t, r)
			p.check(t, r)
		}
		p.end(t, r)
	})
}

// taskPlay is a task of a role that may be passed on to another one, and what was seen of it.
type taskPlay struct {
	*takers
	role, leads string
	users       []notifier.User
	id          int64
	began, ends time.Time
	edits       int
	in          map[string]map[string]bool // by role: who is in it
	gone        map[string]bool            // who was deleted
	cleared     map[string]bool            // who has deleted the row
	retracted   bool
	seen        notifier.Task // as it was last
	lost        bool          // it was deleted with its last recipient
}

func newTaskPlay(t *testing.T, r *rapid.T, w *takers, run int) *taskPlay {
	t.Helper()
	p := &taskPlay{takers: w, role: fmt.Sprint("crew", run), leads: fmt.Sprint("leads", run), began: time.Now(), gone: map[string]bool{}, cleared: map[string]bool{}}
	crew, leads := w.members(t, p.role, 3), w.members(t, p.leads, 1)
	p.users = append(crew, leads...)
	p.in = map[string]map[string]bool{p.role: {}, p.leads: {leads[0].Name: true}}
	for _, u := range crew {
		p.in[p.role][u.Name] = true
	}
	p.join(t, r, crew[2], p.leads) // who gets it twice
	rule := notifier.TakeRule{Within: rapid.SampledFrom([]time.Duration{time.Millisecond, time.Millisecond, time.Hour}).Draw(r, "within")}
	rule.Else = rapid.SampledFrom([]notifier.Target{{Role: p.leads}, {Role: p.leads}, {Role: "nobody"}, {}}).Draw(r, "else")
	life := rapid.SampledFrom([]time.Duration{time.Hour, time.Hour, time.Hour, 1500 * time.Millisecond}).Draw(r, "life")
	p.ends = p.began.Add(life)
	p.id = w.keep(t, p.role, crew, notifier.Extras{Take: &notifier.Take{Finish: notifier.DoneRequired, Rule: rule}}, life)
	return p
}

func (p *taskPlay) join(t *testing.T, r *rapid.T, u notifier.User, role string) {
	t.Helper()
	if err := p.store.AddRole(t.Context(), u.Name, role); err != nil {
		r.Fatal(err)
	}
	p.in[role][u.Name] = true
}

func (p *taskPlay) step(t *testing.T, r *rapid.T) {
	t.Helper()
	i := rapid.IntRange(0, 1).Draw(r, "instance")
	u := rapid.SampledFrom(p.users).Draw(r, "user")
	step := rapid.SampledFrom([]string{
		"arrive", "deeds", "deeds", "deeds", "take and die", "done and die", "give back and die", "pass on", "pass on and die",
		"edit", "edit and die", "retract", "retract and die", "leave", "join", "delete the row", "delete the user", "lose redis",
	}).Draw(r, "deed")
	t.Logf("task %d: %s, %s on instance %d", p.id, step, u.Name, i)
	var err error
	switch step {
	case "arrive":
		testkit.Eventually(t, "the task arrives", func() bool { return !p.has(t, u) || p.row(t, u, p.id) != nil })
	case "deeds":
		p.deeds(t, r)
	case "take and die", "done and die", "give back and die":
		deed := map[string]notifier.TaskDeed{"take and die": notifier.DeedTake, "done and die": notifier.DeedDone, "give back and die": notifier.DeedGiveBack}[step]
		_, err = p.dying.Do(t.Context(), by(u), notifier.Taking{Notice: p.id, User: u, Deed: deed})
		p.die(t)
	case "pass on":
		p.passOn(t)
	case "pass on and die":
		p.passOnAndDie(t)
	case "edit", "edit and die":
		err = p.edit(t, map[bool]*notices.Notices{true: p.twins.dying, false: p.notices[i]}[step == "edit and die"])
	case "retract":
		err = p.notices[i].Retract(t.Context(), notifier.Actor{}, p.id)
		p.retracted = true
	case "retract and die":
		err = p.twins.dying.Retract(t.Context(), notifier.Actor{}, p.id)
		p.retracted = true
	case "leave":
		if p.in[p.role][u.Name] && !p.gone[u.Name] {
			err = p.stores[i].RemoveRole(t.Context(), u.Name, p.role)
			p.in[p.role][u.Name] = false
		}
	case "join":
		if !p.gone[u.Name] {
			p.join(t, r, u, p.role)
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

func (p *taskPlay) edit(t *testing.T, by *notices.Notices) error {
	t.Helper()
	n, err := p.store.Notice(t.Context(), p.id)
	if err == nil {
		p.edits++
		d := n.Draft
		d.Title = fmt.Sprint("Edited ", p.edits)
		_, err = by.Edit(t.Context(), notifier.Actor{}, p.id, n.Revision, d)
	}
	return err
}

// deeds has several users act at a time, on both instances.
func (p *taskPlay) deeds(t *testing.T, r *rapid.T) {
	t.Helper()
	some := rapid.SliceOfN(rapid.SampledFrom(p.users), 1, 5).Draw(r, "users")
	over, holder := !p.lasts(), p.seen.Holder
	errs, deeds := make([]error, len(some)), make([]notifier.TaskDeed, len(some))
	var all sync.WaitGroup
	for i, u := range some {
		deeds[i] = rapid.SampledFrom([]notifier.TaskDeed{notifier.DeedTake, notifier.DeedTake, notifier.DeedDone, notifier.DeedGiveBack}).Draw(r, "what")
		all.Go(func() {
			_, errs[i] = p.tasks[i%2].Do(t.Context(), by(u), notifier.Taking{Notice: p.id, User: u, Deed: deeds[i]})
		})
	}
	all.Wait()
	for i, err := range errs {
		u := some[i]
		out := !p.in[p.role][u.Name] && !p.in[p.leads][u.Name] && (holder != u.Seq || deeds[i] == notifier.DeedTake)
		switch {
		case errors.Is(err, notifier.ErrConflict), errors.Is(err, notifier.ErrNotFound):
		case err != nil:
			r.Fatal(err)
		case over, p.gone[u.Name], out:
			r.Fatalf("%s may %s it", u.Name, deeds[i])
		}
	}
}

// check compares the task on both instances with what was seen before.
func (p *taskPlay) check(t *testing.T, r *rapid.T) {
	t.Helper()
	for _, s := range p.stores {
		is, err := s.Task(t.Context(), p.id)
		if errors.Is(err, notifier.ErrNotFound) && p.nobodyIsLeft() {
			p.lost = true
			continue
		}
		switch done := p.seen.Taken.DoneAt; {
		case err != nil:
			r.Fatal(err)
		case !done.IsZero() && !is.Taken.DoneAt.Equal(done):
			r.Fatalf("it was done at %s, and is %+v", done, is.Taken)
		case slices.ContainsFunc(p.users, func(u notifier.User) bool { return u.Seq == is.Holder && p.gone[u.Name] }):
			r.Fatalf("user %d, who was deleted, has it", is.Holder)
		}
		if is.Passed != p.seen.Passed { // to leads who have deleted the row as well
			p.cleared[p.users[2].Name], p.cleared[p.users[3].Name] = false, false
		}
		p.seen = is
	}
}

// nobodyIsLeft reports whether the task may be deleted: all its recipients were, and nobody else has it or is to get it.
func (p *taskPlay) nobodyIsLeft() bool {
	for _, u := range p.users[:3] {
		if !p.gone[u.Name] {
			return false
		}
	}
	goesOn := p.seen.Taken.Rule.Else.Role == p.leads && !p.gone[p.users[3].Name] && !p.retracted && p.seen.Taken.DoneAt.IsZero()
	return p.seen.Passed == 0 && !goesOn
}

// lasts reports whether anybody may have a row of the task.
func (p *taskPlay) lasts() bool { return !p.lost && !p.retracted && time.Now().Before(p.ends) }

// of returns the notice by which a user has the task; 0: they are no recipient.
func (p *taskPlay) of(t *testing.T, u notifier.User) int64 {
	t.Helper()
	for _, id := range []int64{p.seen.Passed, p.id} {
		if id == 0 || p.lost {
			continue
		}
		to, err := p.store.Recipients(t.Context(), id)
		if err != nil && !errors.Is(err, notifier.ErrNotFound) {
			t.Fatal(err)
		}
		if err == nil && to.ContainsInt(int(u.Seq)) {
			return id
		}
	}
	return 0
}

// has reports whether a user must have the row.
func (p *taskPlay) has(t *testing.T, u notifier.User) bool {
	t.Helper()
	return p.lasts() && !p.gone[u.Name] && !p.cleared[u.Name] && p.of(t, u) > 0
}

// end passes the task on if it is late, and waits until every row and list shows what SQL says.
func (p *taskPlay) end(t *testing.T, r *rapid.T) {
	t.Helper()
	p.passOn(t)
	p.check(t, r)
	if life := p.ends.Sub(p.began); life < time.Minute {
		testkit.Eventually(t, "it has expired", func() bool { return !p.lasts() })
	}
	is, lasts := &p.seen, p.lasts()
	for _, u := range p.users {
		if p.gone[u.Name] {
			continue
		}
		id, has := p.of(t, u), p.has(t, u)
		testkit.Until(t, fmt.Sprintf("the row of %s follows notice %d: %s in %+v", u.Name, id, is.Title, is.Taken), func() (*notifier.Entry, bool) {
			e := p.row(t, u, p.id)
			if e == nil {
				return e, !has
			}
			return e, lasts && e.NoticeID == id && e.Title == is.Title && e.Take.By == is.Taken.By && e.Take.At.Equal(is.Taken.At) && e.Take.DoneAt.Equal(is.Taken.DoneAt) &&
				(e.Read || !is.Taken.Settled())
		})
	}
	state := is.Taken.State()
	for role, shown := range map[string]bool{p.role: true, p.leads: is.Passed > 0} {
		for _, q := range []notifier.TaskQuery{{Open: true, Role: role}, {Role: role}} {
			want := lasts && shown && state == map[bool]notifier.TaskState{true: notifier.TaskOpen, false: notifier.TaskTaken}[q.Open]
			found, err := p.store.Tasks(t.Context(), q)
			if err != nil || slices.ContainsFunc(found, func(t notifier.Task) bool { return t.ID == p.id }) != want {
				r.Fatalf("the list %+v has %+v, %v; want it to have task %d: %v", q, found, err, p.id, want)
			}
		}
	}
}
