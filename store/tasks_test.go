package store_test

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// task stores a task of some users, and marks its notice as sent.
func task(t *testing.T, s *store.Store, db *database, take notifier.Take, target notifier.Target, to ...notifier.User) int64 {
	t.Helper()
	take.Finish = notifier.DoneRequired
	n := notifier.Notice{
		Draft:     notifier.Draft{Target: target, Type: "oven", Subject: "oven:3", Title: "The oven is cold", Sender: notifier.KeyRef("shop"), Extras: notifier.Extras{Take: &take}},
		ExpiresAt: db.clock.at.Add(48 * time.Hour),
	}
	a := notifier.Acceptance{Notice: &n, To: roaring.New()}
	for _, u := range to {
		a.To.Add(uint32(u.Seq))
	}
	if err := s.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	is := must(s.Notice(t.Context(), n.ID))(t) // one that passes a task on may have a revision
	if moved := must(s.Confirm(t.Context(), []notifier.Revised{{ID: n.ID, Revision: is.Revision}}))(t); len(moved) > 0 {
		t.Fatalf("notice %d is not sent", n.ID)
	}
	return n.ID
}

func do(t *testing.T, s *store.Store, deed notifier.TaskDeed, id int64, u notifier.User) (notifier.Task, error) {
	t.Helper()
	return s.DoTask(t.Context(), notifier.Actor{Ref: notifier.UserRef(u)}, notifier.Taking{Notice: id, User: u, Deed: deed})
}

func TestOneUserHasATaskUntilTheyGiveItBackOrHaveDoneIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben, eve := addUser(t, s, "ann"), addUser(t, s, "ben"), addUser(t, s, "eve")
		id := task(t, s, db, notifier.Take{}, named(ann, ben), ann, ben)
		for i, step := range []struct {
			deed    notifier.TaskDeed
			who     notifier.User
			state   notifier.TaskState
			holder  string // in the task then, or in the refusal
			refused bool
		}{
			{notifier.DeedDone, ann, notifier.TaskOpen, "", true},
			{notifier.DeedGiveBack, ann, notifier.TaskOpen, "", true},
			{notifier.DeedTake, ann, notifier.TaskTaken, "ann", false},
			{notifier.DeedTake, ann, notifier.TaskTaken, "ann", false},
			{notifier.DeedTake, ben, notifier.TaskTaken, "ann", true},
			{notifier.DeedDone, ben, notifier.TaskTaken, "ann", true},
			{notifier.DeedGiveBack, ben, notifier.TaskTaken, "ann", true},
			{notifier.DeedGiveBack, ann, notifier.TaskOpen, "", false},
			{notifier.DeedTake, ben, notifier.TaskTaken, "ben", false},
			{notifier.DeedDone, ben, notifier.TaskDone, "ben", false},
			{notifier.DeedDone, ben, notifier.TaskDone, "ben", false},
			{notifier.DeedTake, ann, notifier.TaskDone, "ben", true},
			{notifier.DeedGiveBack, ben, notifier.TaskDone, "ben", true},
		} {
			db.clock.move(time.Minute)
			got, err := do(t, s, step.deed, id, step.who)
			if refused := (*notifier.RefusedTaskError)(nil); errors.As(err, &refused) != step.refused {
				t.Fatalf("step %d: %v", i, err)
			} else if step.refused {
				got = refused.Task
			}
			if got.Taken.State() != step.state || got.Taken.By != step.holder {
				t.Errorf("step %d: %s by %q", i, got.Taken.State(), got.Taken.By)
			}
			stored := must(s.Task(t.Context(), id))(t)
			if shown := stored.Extras.Take; shown.State() != step.state || shown.By != step.holder || !shown.At.Equal(stored.Taken.At) {
				t.Errorf("step %d: rows show %+v", i, shown)
			}
		}
		if n := must(s.Notice(t.Context(), id))(t); n.Revision != 4 || n.State != notifier.StateSending || !n.Extras.Settled() {
			t.Errorf("the notice is %s in revision %d", n.State, n.Revision)
		}
		if _, err := do(t, s, notifier.DeedTake, id, eve); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("a user who does not have it: %v", err)
		}
		if _, err := do(t, s, notifier.DeedTake, id+99, ann); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("a task that does not exist: %v", err)
		}
		var actions []string
		for _, entry := range must(s.NoticeLog(t.Context(), id, 9))(t) {
			actions = append(actions, entry.Action)
		}
		if diff := cmp.Diff([]string{"task.done", "task.take", "task.give-back", "task.take"}, actions); diff != "" {
			t.Error(diff)
		}
	})
}

func TestOfFiftyWhoTakeATaskOneHasIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		users := make([]notifier.User, 10)
		for i := range users {
			users[i] = addUser(t, stores[0], string(rune('a'+i))+"nn")
		}
		id := task(t, stores[0], db, notifier.Take{}, named(users...), users...)
		var wg sync.WaitGroup
		var mu sync.Mutex
		var won []string
		for i := range 50 {
			wg.Go(func() {
				got, err := do(t, stores[i%2], notifier.DeedTake, id, users[i%len(users)])
				mu.Lock()
				defer mu.Unlock()
				refused := (*notifier.RefusedTaskError)(nil)
				switch {
				case err == nil:
					won = append(won, got.Taken.By)
				case !errors.As(err, &refused):
					t.Error(err)
				default:
					won = append(won, refused.Task.Taken.By)
				}
			})
		}
		wg.Wait()
		for _, name := range won {
			if name != won[0] || name == "" {
				t.Fatalf("it is with %v", won)
			}
		}
		if n := must(stores[1].Notice(t.Context(), id))(t); n.Revision != 1 {
			t.Errorf("the revision is %d", n.Revision)
		}
	})
}

// passOn stores the notice that passes a late task on to a user.
func passOn(t *testing.T, s *store.Store, db *database, id int64, to notifier.User) int64 {
	t.Helper()
	return task(t, s, db, notifier.Take{Of: id, Waited: time.Hour}, named(to), to)
}

func TestALateTaskIsPassedOnAndBothNoticesFollow(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea := addUser(t, s, "ann"), addUser(t, s, "lea")
		rule := notifier.TakeRule{Within: time.Hour, Else: named(lea)}
		id, other := task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann), task(t, s, db, notifier.Take{Rule: notifier.TakeRule{Within: time.Hour}}, named(ann), ann)
		late := func() (ids []int64) {
			for _, task := range must(s.LateTasks(t.Context(), 9))(t) {
				ids = append(ids, task.ID)
			}
			return ids
		}
		if ids := late(); len(ids) > 0 {
			t.Errorf("late at once: %v", ids)
		}
		db.clock.move(time.Hour)
		if ids := late(); !cmp.Equal(ids, []int64{id}) {
			t.Errorf("late after an hour: %v; want %d, and not %d, which goes nowhere", ids, id, other)
		}
		if got := must(s.Task(t.Context(), id))(t); !cmp.Equal(got.Taken.Rule, rule) {
			t.Errorf("its rule is %+v", got.Taken.Rule)
		}
		passed := passOn(t, s, db, id, lea)
		if ids := late(); len(ids) > 0 {
			t.Errorf("late after it was passed on: %v", ids)
		}
		if _, err := do(t, s, notifier.DeedTake, id, lea); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("by a row that the user does not have: %v", err)
		}
		if got, err := do(t, s, notifier.DeedTake, passed, lea); err != nil || got.ID != id || got.Holder != lea.Seq {
			t.Fatalf("%+v, %v", got.Taken, err)
		}
		for _, of := range []int64{id, passed} {
			n := must(s.Notice(t.Context(), of))(t)
			if take := n.Extras.Take; take.By != "lea" || n.Revision != 1 || (take.Of > 0) != (of == passed) {
				t.Errorf("notice %d in revision %d: %+v", of, n.Revision, take)
			}
		}
		if !must(s.RetractNotice(t.Context(), notifier.Actor{}, id, notifier.StateSending, notifier.StateRetracting))(t) {
			t.Fatal("not retracted")
		}
		if n := must(s.Notice(t.Context(), passed))(t); n.State != notifier.StateRetracting {
			t.Errorf("the notice that passed it on is %s", n.State)
		}
		if _, err := do(t, s, notifier.DeedDone, passed, lea); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("after it was retracted: %v", err)
		}
	})
}

func TestATaskThatIsNotLateAnyMoreIsNotPassedOn(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea := addUser(t, s, "ann"), addUser(t, s, "lea")
		rule := notifier.TakeRule{Within: time.Hour, Else: named(lea)}
		id := task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann)
		db.clock.move(time.Hour)
		refused := func(what string, of int64, want error) {
			t.Helper()
			n := notifier.Notice{Draft: notifier.Draft{Target: named(lea), Type: "oven", Title: "Late", Extras: notifier.Extras{Take: &notifier.Take{Of: of}}}, ExpiresAt: db.clock.at.Add(time.Hour)}
			other := notifier.Notice{Draft: notifier.Draft{Target: named(lea), Type: "news", Title: "Another"}, ExpiresAt: db.clock.at.Add(time.Hour)}
			all := []*notifier.Acceptance{{Notice: &other, To: roaring.BitmapOf(uint32(lea.Seq))}, {Notice: &n, To: roaring.BitmapOf(uint32(lea.Seq))}}
			if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil || !errors.Is(all[1].Err, want) || all[0].Err != nil {
				t.Errorf("%s: %v, %v, and another notice with it: %v", what, err, all[1].Err, all[0].Err)
			}
		}
		if _, err := do(t, s, notifier.DeedTake, id, ann); err != nil {
			t.Fatal(err)
		}
		refused("it was taken", id, notifier.ErrConflict)
		if _, err := do(t, s, notifier.DeedGiveBack, id, ann); err != nil {
			t.Fatal(err)
		}
		passed := passOn(t, s, db, id, lea)
		refused("another instance was faster", id, notifier.ErrConflict)
		if err := s.KeepLate(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if got := must(s.Task(t.Context(), id))(t); got.Passed != passed || !cmp.Equal(got.Taken.Rule, rule) {
			t.Errorf("passed on by notice %d, by the rule %+v", got.Passed, got.Taken.Rule)
		}
		retracted := task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann)
		if !must(s.RetractNotice(t.Context(), notifier.Actor{}, retracted, notifier.StateSent, notifier.StateRetracting))(t) {
			t.Fatal("not retracted")
		}
		refused("it was retracted", retracted, notifier.ErrNotFound)
		refused("it was deleted", retracted+99, notifier.ErrNotFound)
	})
}

func TestALateTaskWithNobodyToGoToIsLateOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea := addUser(t, s, "ann"), addUser(t, s, "lea")
		id := task(t, s, db, notifier.Take{Rule: notifier.TakeRule{Within: time.Hour, Else: named(lea)}}, named(ann), ann)
		db.clock.move(time.Hour)
		if err := s.KeepLate(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if late := must(s.LateTasks(t.Context(), 9))(t); len(late) > 0 {
			t.Errorf("late again: %+v", late)
		}
	})
}

func TestWhoeverHasATaskMayFinishItAfterTheyHaveLeft(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann", "baker"), addUser(t, s, "ben", "baker")
		for _, deed := range []notifier.TaskDeed{notifier.DeedDone, notifier.DeedGiveBack} {
			id := task(t, s, db, notifier.Take{}, notifier.Target{Role: "baker"}, ann, ben)
			if _, err := do(t, s, notifier.DeedTake, id, ann); err != nil {
				t.Fatal(err)
			}
			wantIs(t, s.RemoveRole(t.Context(), "ann", "baker"), nil)
			if _, err := do(t, s, deed, id, ann); err != nil {
				t.Errorf("%s: %v", deed, err)
			}
			if _, err := do(t, s, notifier.DeedTake, id, ann); !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("they take it again after %s: %v", deed, err)
			}
			wantIs(t, s.AddRole(t.Context(), "ann", "baker"), nil)
		}
	})
}

// Nobody would hear of a task whose only recipient leaves before it is passed on.
func TestATaskThatIsToBePassedOnOutlivesItsLastRecipient(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea, moe := addUser(t, s, "ann"), addUser(t, s, "lea"), addUser(t, s, "max")
		rule := notifier.TakeRule{Within: time.Hour, Else: named(lea, moe)}
		id, did := task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann), task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann)
		for _, deed := range []notifier.TaskDeed{notifier.DeedTake, notifier.DeedDone} {
			if _, err := do(t, s, deed, did, ann); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := do(t, s, notifier.DeedTake, id, ann); err != nil {
			t.Fatal(err)
		}
		forget(t, s, "ann")
		forget(t, s, "max")
		if _, err := s.Task(t.Context(), did); !errors.Is(err, notifier.ErrNotFound) {
			t.Errorf("what they have done: %v", err)
		}
		db.clock.move(time.Hour)
		late := must(s.LateTasks(t.Context(), 9))(t)
		if len(late) != 1 || late[0].ID != id || !cmp.Equal(late[0].Taken.Rule.Else, named(lea)) {
			t.Fatalf("late, and to whom it goes: %+v", late)
		}
		forget(t, s, "lea")
		if late := must(s.LateTasks(t.Context(), 9))(t); len(late) > 0 {
			t.Errorf("late for nobody: %+v", late)
		}
	})
}

func TestAnEditOfATaskReachesTheNoticeThatPassesItOn(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea := addUser(t, s, "ann"), addUser(t, s, "lea")
		id := task(t, s, db, notifier.Take{Rule: notifier.TakeRule{Within: time.Hour, Else: named(lea)}}, named(ann), ann)
		edit := func(title string) {
			n := must(s.Notice(t.Context(), id))(t)
			n.Title, n.Extras.Actions = title, []notifier.Action{{Label: title, Link: "/a"}}
			if err := s.EditNotice(t.Context(), notifier.Actor{}, &n); err != nil {
				t.Fatal(err)
			}
		}
		edit("While it is passed on")
		passed := passOn(t, s, db, id, lea)
		for _, want := range []string{"While it is passed on", "Afterwards"} {
			n := must(s.Notice(t.Context(), passed))(t)
			if n.Title != want || n.Extras.Actions[0].Label != want || n.Extras.Take.Of != id || n.Extras.Take.Waited != time.Hour {
				t.Errorf("%q %v %+v; want %q", n.Title, n.Extras.Actions, n.Extras.Take, want)
			}
			if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: want}))(t); len(found) != 2 {
				t.Errorf("%d notices are found by %q", len(found), want)
			}
			edit("Afterwards")
		}
	})
}

func TestADeletedUserGivesTheirTaskBack(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben, lea := addUser(t, s, "ann"), addUser(t, s, "ben"), addUser(t, s, "lea")
		rule := notifier.TakeRule{Within: time.Minute, Else: named(lea)}
		had, did := task(t, s, db, notifier.Take{Rule: rule}, named(ann, ben), ann, ben), task(t, s, db, notifier.Take{}, named(ann, ben), ann, ben)
		only := task(t, s, db, notifier.Take{Rule: rule}, named(ann), ann)
		passed := passOn(t, s, db, only, lea)
		for _, step := range []struct {
			deed notifier.TaskDeed
			id   int64
		}{{notifier.DeedTake, had}, {notifier.DeedTake, did}, {notifier.DeedDone, did}, {notifier.DeedTake, only}} {
			if _, err := do(t, s, step.deed, step.id, ann); err != nil {
				t.Fatal(err)
			}
		}
		forget(t, s, "ann")
		if got := must(s.Task(t.Context(), had))(t); got.Taken.State() != notifier.TaskOpen || got.Extras.Take.By != "" || got.LateAt.IsZero() {
			t.Errorf("what they had is %s: %+v", got.Taken.State(), got.Extras.Take)
		}
		if got := must(s.Task(t.Context(), did))(t); got.Taken.State() != notifier.TaskDone || got.Extras.Take.By != "" || got.Extras.Take.Holder() != notifier.Somebody {
			t.Errorf("what they have done is %s: %+v", got.Taken.State(), got.Extras.Take)
		}
		if got, err := do(t, s, notifier.DeedTake, passed, lea); err != nil || got.ID != only {
			t.Errorf("what had been passed on: %+v, %v", got.Taken, err)
		}
	})
}

func TestTasksAreListedByStateAndRole(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, lea := addUser(t, s, "ann", "picker"), addUser(t, s, "lea", `lead%"x`)
		picker, lead := notifier.Target{Role: "picker"}, notifier.Target{Role: `lead%"x`}
		first, second := task(t, s, db, notifier.Take{Rule: notifier.TakeRule{Within: time.Minute, Else: lead}}, picker, ann), task(t, s, db, notifier.Take{}, lead, lea)
		third := task(t, s, db, notifier.Take{}, picker, ann)
		task(t, s, db, notifier.Take{}, notifier.Target{Topic: notifier.Topic{Type: "lead", Scope: "picker"}}, ann)
		alike := task(t, s, db, notifier.Take{}, named(addUser(t, s, "picker")), ann)
		several := task(t, s, db, notifier.Take{}, notifier.Target{Roles: []string{"driver", "picker"}}, ann)
		list := func(q notifier.TaskQuery) (ids []int64) {
			for _, task := range must(s.Tasks(t.Context(), q))(t) {
				ids = append(ids, task.ID)
			}
			return ids
		}
		want := func(what string, got []int64, want ...int64) {
			t.Helper()
			if !cmp.Equal(got, want) {
				t.Errorf("%s: %v; want %v", what, got, want)
			}
		}
		want("open", list(notifier.TaskQuery{Open: true}), first, second, third, third+1, alike, several)
		want("of a role, of several, and not of a user and a topic of that name", list(notifier.TaskQuery{Open: true, Role: "picker"}), first, third, several)
		want("open, after the first", list(notifier.TaskQuery{Open: true, After: first, Limit: 1}), second)
		want("of a role", list(notifier.TaskQuery{Open: true, Role: `lead%"x`}), second)
		want("of no role", list(notifier.TaskQuery{Open: true, Role: "lead"}))
		task(t, s, db, notifier.Take{Of: first}, lead, lea)
		want("of a role that it was passed on to", list(notifier.TaskQuery{Open: true, Role: `lead%"x`}), first, second)
		for _, id := range []int64{first, third} {
			if _, err := do(t, s, notifier.DeedTake, id, ann); err != nil {
				t.Fatal(err)
			}
		}
		want("taken", list(notifier.TaskQuery{}), third, first)
		db.clock.move(48 * time.Hour)
		want("expired", list(notifier.TaskQuery{Open: true}))
	})
}

func TestADeedWithATaskIsAnEventOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		h := addHook(t, s, "tasks", notifier.EventNoticeTaken, notifier.EventNoticeDone)
		ann := addUser(t, s, "ann")
		id := task(t, s, db, notifier.Take{}, named(ann), ann)
		for _, step := range []struct {
			deed notifier.TaskDeed
			want []string
		}{
			{notifier.DeedTake, []string{`notice.taken {"notice":1,"user":"ann"}`}},
			{notifier.DeedTake, nil},
			{notifier.DeedGiveBack, nil},
			{notifier.DeedDone, nil},
			{notifier.DeedTake, []string{`notice.taken {"notice":1,"user":"ann"}`}},
			{notifier.DeedDone, []string{`notice.done {"notice":1,"user":"ann"}`}},
			{notifier.DeedDone, nil},
		} {
			_, _ = do(t, s, step.deed, id, ann) // some are refused
			wantEvents(t, s, h.ID, string(step.deed), step.want...)
		}
	})
}
