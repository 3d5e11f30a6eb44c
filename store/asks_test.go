package store_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// question returns a draft with the choices approve and reject, whose comment is required.
func question(rule notifier.AskRule, to notifier.Target) notifier.Draft {
	d := notifier.Draft{Target: to, Type: "payment", Subject: "payment:1", Title: "Pay?", Sender: notifier.KeyRef("shop")}
	d.Extras.Ask = &notifier.Ask{Rule: rule, Choices: []notifier.Choice{
		{ID: "approve", Label: "Approve", Style: notifier.StylePrimary, Comment: notifier.CommentOptional},
		{ID: "reject", Label: "Reject", Style: notifier.StyleDanger, Comment: notifier.CommentRequired},
	}}
	return d
}

// ask stores a question to some users, which is open for an hour, and marks its notice as sent.
func ask(t *testing.T, s *store.Store, db *database, rule notifier.AskRule, target notifier.Target, to ...notifier.User) int64 {
	t.Helper()
	rule.Within = time.Hour
	n := notifier.Notice{Draft: question(rule, target), ExpiresAt: db.clock.at.Add(48 * time.Hour)}
	n.Extras.Ask = n.Extras.Ask.Opened(db.clock.at)
	a := notifier.Acceptance{Notice: &n, To: roaring.New()}
	for _, u := range to {
		a.To.Add(uint32(u.Seq))
	}
	if err := s.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		t.Fatal(err, a.Err)
	}
	if moved := must(s.Confirm(t.Context(), []notifier.Revised{{ID: n.ID}}))(t); len(moved) > 0 {
		t.Fatalf("notice %d is not sent", n.ID)
	}
	return n.ID
}

// named is the target of users by name.
func named(users ...notifier.User) (to notifier.Target) {
	for _, u := range users {
		to.Users = append(to.Users, u.Name)
	}
	return to
}

func answer(t *testing.T, s *store.Store, id int64, u notifier.User, choice notifier.ChoiceID, comment string) (notifier.Question, notifier.AskAnswer, error) {
	t.Helper()
	return s.Answer(t.Context(), notifier.Actor{Ref: notifier.UserRef(u)}, notifier.Answering{Ask: id, User: u, Choice: choice, Comment: comment})
}

func TestTheFirstAnswerDecidesAndGivesTheNoticeARevisionThatIsDue(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		id := ask(t, s, db, notifier.AskRule{Needs: 1, Otherwise: "reject"}, named(ann, ben), ann, ben)
		open := must(s.Question(t.Context(), id))(t)
		want := notifier.AskRule{Needs: 1, Otherwise: "reject"}
		if open.Asked.State != notifier.AskOpen || open.Asked.Rule != want || !open.Asked.ExpiresAt.Equal(db.clock.at.Add(time.Hour)) || open.Revision != 0 {
			t.Errorf("the question is %+v", open.Asked)
		}
		q, mine, err := answer(t, s, id, ann, "approve", "fits")
		if err != nil || mine.Comment != "fits" || q.Asked.State != notifier.AskAnswered || q.Asked.Outcome != "approve" {
			t.Fatalf("answer: %+v, %+v, %v", q.Asked, mine, err)
		}
		n := must(s.Notice(t.Context(), id))(t)
		if n.State != notifier.StateSending || n.Revision != 1 || !n.Extras.Ask.Ended() || n.Extras.Ask.Became(time.UTC, notifier.AskState.Name) != "Approve · ann, 12:00 · 'fits'" {
			t.Errorf("the notice is %s in revision %d: %s", n.State, n.Revision, n.Extras.Ask.Became(time.UTC, notifier.AskState.Name))
		}
		if due := must(s.ClaimNotices(t.Context(), notifier.Claim{Owner: 1, Until: db.clock.at.Add(time.Minute)}, 9))(t); len(due) != 1 || due[0].NoticeID != id {
			t.Errorf("due: %+v", due)
		}
		again := must(s.Question(t.Context(), id))(t)
		if diff := cmp.Diff([]notifier.AskAnswer{mine}, again.Answers); diff != "" {
			t.Error(diff)
		}
		if log := must(s.NoticeLog(t.Context(), id, 9))(t); len(log) != 1 || log[0].Action != "ask.answer" || log[0].Detail != "approve" {
			t.Errorf("log: %+v", log)
		}
	})
}

func TestALateAnswerIsRefusedWithTheOutcomeAndARepeatedOneIsTheFirst(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		id := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann, ben), ann, ben)
		_, first, err := answer(t, s, id, ann, "approve", "one")
		if err != nil {
			t.Fatal(err)
		}
		export := must(s.ExportUser(t.Context(), "ann"))(t)
		if diff := cmp.Diff([]notifier.ExportedAnswer{{ID: id, Title: "Pay?", Choice: "approve", Comment: "one", At: first.At}}, export.Answers); diff != "" {
			t.Errorf("export: %s", diff)
		}
		db.clock.move(time.Minute)
		if _, mine, err := answer(t, s, id, ann, "approve", "two"); err != nil || mine != first {
			t.Errorf("again: %+v, %v; want %+v", mine, err, first)
		}
		for _, u := range []notifier.User{ann, ben} {
			_, _, err = answer(t, s, id, u, "reject", "no")
			var refused *notifier.RefusedAnswerError
			if !errors.As(err, &refused) || refused.Asked.Outcome != "approve" || refused.Sentence(time.UTC, notifier.AskState.Name) != "Approve · ann, 12:00 · 'one'" {
				t.Errorf("%s: %v, %+v", u.Name, err, refused)
			}
		}
		if n := must(s.Notice(t.Context(), id))(t); n.Revision != 1 {
			t.Errorf("revision %d", n.Revision)
		}
	})
}

func TestFourEyesNeedTwoPeopleWithOneChoice(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben, cid := addUser(t, s, "ann"), addUser(t, s, "ben"), addUser(t, s, "cid")
		id := ask(t, s, db, notifier.AskRule{Needs: 2}, named(ann, ben, cid), ann, ben, cid)
		for _, step := range []struct {
			by     notifier.User
			choice notifier.ChoiceID
			state  notifier.AskState
			fails  bool
		}{
			{ann, "approve", notifier.AskOpen, false},
			{ann, "approve", notifier.AskOpen, false},
			{ann, "reject", notifier.AskOpen, true},
			{ben, "reject", notifier.AskOpen, false},
			{cid, "approve", notifier.AskAnswered, false},
		} {
			_, _, err := answer(t, s, id, step.by, step.choice, "because")
			if q := must(s.Question(t.Context(), id))(t); q.Asked.State != step.state || errors.Is(err, notifier.ErrConflict) != step.fails {
				t.Errorf("after %s of %s: %s, %v", step.choice, step.by.Name, q.Asked.State, err)
			}
		}
		q := must(s.Question(t.Context(), id))(t)
		if got := q.Extras.Ask.Became(time.UTC, notifier.AskState.Name); q.Asked.Outcome != "approve" || len(q.Answers) != 3 || got != "Approve · ann, 12:00 · 'because' · cid, 12:00 · 'because'" {
			t.Errorf("%s, %d answers: %s", q.Asked.Outcome, len(q.Answers), got)
		}
	})
}

func TestOnlyRecipientsWhoAreStillInTheTargetMayAnswer(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben, cid := addUser(t, s, "ann", "approver"), addUser(t, s, "ben", "approver"), addUser(t, s, "cid", "subscriber")
		late := addUser(t, s, "late", "approver")
		role := notifier.Target{Role: "approver"}
		id := ask(t, s, db, notifier.AskRule{Needs: 1}, role, ann, ben)
		topic := notifier.Target{Topic: notifier.Topic{Type: "payment", Scope: "1"}}
		for _, by := range []notifier.Subscriber{{User: "ben"}, {Role: "subscriber"}} {
			must3(s.Subscribe(t.Context(), notifier.Actor{}, notifier.Subscription{Topic: topic.Topic, Subscriber: by}))(t)
		}
		second := ask(t, s, db, notifier.AskRule{Needs: 3}, topic, ann, ben, cid)
		if err := s.RemoveRole(t.Context(), "ann", "approver"); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			id  int64
			by  notifier.User
			may bool
		}{{id, late, false}, {id, ann, false}, {id, ben, true}, {second, ann, false}, {second, ben, true}, {second, cid, true}, {9999, ben, false}} {
			if _, _, err := answer(t, s, c.id, c.by, "approve", ""); c.may && err != nil || !c.may && !errors.Is(err, notifier.ErrNotFound) {
				t.Errorf("%s answers %d: %v", c.by.Name, c.id, err)
			}
		}
	})
}

func must3[A, B any](a A, _ B, err error) func(t *testing.T) A {
	return must(a, err)
}

func TestWrongChoicesAndCommentsAreNamed(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann := addUser(t, s, "ann")
		id := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann)
		for _, c := range []struct {
			choice  notifier.ChoiceID
			comment string
			want    string
		}{
			{"maybe", "", "choice"}, {"", "", "choice"}, {"reject", "", "comment"}, {"approve", fmt.Sprintf("%0501d", 0), "comment"}, {"approve", "a\x00b", "comment"},
		} {
			_, _, err := answer(t, s, id, ann, c.choice, c.comment)
			if bad := (*notifier.InvalidError)(nil); !errors.As(err, &bad) || !bad.Has(c.want) {
				t.Errorf("%s with %.10q: %v, want a fault of %s", c.choice, c.comment, err, c.want)
			}
		}
		if q := must(s.Question(t.Context(), id))(t); len(q.Answers) > 0 || q.Asked.State != notifier.AskOpen {
			t.Errorf("%+v", q)
		}
	})
}

func TestAnAskOfEverybodyEndsWithTheLastAnswerAndWithoutOutcome(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben, cid := addUser(t, s, "ann"), addUser(t, s, "ben"), addUser(t, s, "cid")
		id := ask(t, s, db, notifier.AskRule{}, named(ann, ben, cid), ann, ben, cid)
		left := ask(t, s, db, notifier.AskRule{}, named(ann, ben, cid), ann, ben, cid)
		for _, u := range []notifier.User{ann, ben} {
			must3(answer(t, s, left, u, "approve", "private"))(t)
		}
		for i, u := range []notifier.User{ann, ben, cid} {
			q := must3(answer(t, s, id, u, "approve", ""))(t)
			if want := []notifier.AskState{notifier.AskOpen, notifier.AskOpen, notifier.AskAnswered}[i]; q.Asked.State != want || q.Asked.Outcome != "" {
				t.Errorf("after %s: %s", u.Name, q.Asked.State)
			}
		}
		forget(t, s, "cid")
		if q := must(s.Question(t.Context(), left))(t); q.Asked.State != notifier.AskAnswered || len(q.Answers) != 2 {
			t.Errorf("without the last user it is %s, with %d answers", q.Asked.State, len(q.Answers))
		}
		forget(t, s, "ann")
		q := must(s.Question(t.Context(), left))(t)
		if len(q.Answers) != 2 || q.Answers[0].User != "" || q.Answers[0].Comment != "" || q.Answers[0].Choice != "approve" || q.Extras.Ask.Answers[0].User != "" || q.Revision != 2 {
			t.Errorf("revision %d, answers %+v, row %+v", q.Revision, q.Answers, q.Extras.Ask.Answers)
		}
	})
}

// forget deletes a user.
func forget(t *testing.T, s *store.Store, name string) {
	t.Helper()
	d, _, err := s.BeginDeletion(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Forget(t.Context(), d, nil, nil); err != nil {
		t.Fatal(err)
	}
}

func TestTheAnswerOfADeletedUserCounts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		id := ask(t, s, db, notifier.AskRule{Needs: 2}, named(ann, ben), ann, ben)
		must3(answer(t, s, id, ann, "approve", ""))(t)
		forget(t, s, "ann")
		if q := must3(answer(t, s, id, ben, "approve", ""))(t); q.Asked.State != notifier.AskAnswered {
			t.Errorf("it is %s", q.Asked.State)
		}
	})
}

func TestQuestionsExpireWithTheirOtherwiseAndKeepTheirAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		to := named(ann, ben)
		first := ask(t, s, db, notifier.AskRule{Needs: 1, Otherwise: "reject"}, to, ann, ben)
		all := ask(t, s, db, notifier.AskRule{}, to, ann, ben)
		late := ask(t, s, db, notifier.AskRule{Needs: 1}, to, ann, ben)
		must3(answer(t, s, all, ann, "approve", ""))(t)
		db.clock.move(time.Hour - time.Millisecond)
		if ended := must(s.ExpireAsks(t.Context(), 9))(t); len(ended) > 0 {
			t.Fatalf("ended too early: %v", ended)
		}
		db.clock.move(time.Millisecond)
		if _, _, err := answer(t, s, late, ann, "approve", ""); !errors.Is(err, notifier.ErrConflict) {
			t.Errorf("an answer in time for nobody: %v", err)
		}
		if q := must(s.Question(t.Context(), late))(t); q.Asked.State != notifier.AskExpired || q.Revision != 1 {
			t.Errorf("the late answer left it %s", q.Asked.State)
		}
		if ended := must(s.ExpireAsks(t.Context(), 9))(t); len(ended) != 2 || ended[0] != first || ended[1] != all {
			t.Errorf("ended: %v", ended)
		}
		q := must(s.Question(t.Context(), first))(t)
		if got := q.Extras.Ask.Became(time.UTC, notifier.AskState.Name); q.Asked.State != notifier.AskExpired || q.Asked.Outcome != "reject" || got != "Reject" {
			t.Errorf("%s, %s: %s", q.Asked.State, q.Asked.Outcome, got)
		}
		if q := must(s.Question(t.Context(), all))(t); q.Asked.State != notifier.AskExpired || q.Asked.Outcome != "" || len(q.Answers) != 1 {
			t.Errorf("%+v", q)
		}
	})
}

func TestAWithdrawnQuestionCannotEndAgainAndARetractedNoticeWithdrawsIts(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann := addUser(t, s, "ann")
		id, gone := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann), ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann)
		if err := s.WithdrawAsk(t.Context(), notifier.Actor{}, id); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.WithdrawAsk(t.Context(), notifier.Actor{}, id), notifier.ErrConflict)
		wantIs(t, s.WithdrawAsk(t.Context(), notifier.Actor{}, 9999), notifier.ErrNotFound)
		if _, _, err := answer(t, s, id, ann, "approve", ""); !errors.Is(err, notifier.ErrConflict) {
			t.Errorf("answer: %v", err)
		}
		if !must(s.RetractNotice(t.Context(), notifier.Actor{}, gone, notifier.StateSent, notifier.StateRetracting))(t) {
			t.Fatal("not retracted")
		}
		if q := must(s.Question(t.Context(), gone))(t); q.Asked.State != notifier.AskWithdrawn {
			t.Errorf("it is %s", q.Asked.State)
		}
		if ended := must(s.EndedAsks(t.Context(), []int64{id, gone, 9999}))(t); len(ended) != 3 {
			t.Errorf("ended: %v", ended)
		}
	})
}

func TestQuestionsAreListedNewestFirstBySenderAndState(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann := addUser(t, s, "ann")
		var ids []int64
		for range 3 {
			ids = append(ids, ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann))
			db.clock.move(time.Minute)
		}
		must3(answer(t, s, ids[1], ann, "approve", ""))(t)
		for _, c := range []struct {
			q    notifier.QuestionQuery
			want []int64
		}{
			{notifier.QuestionQuery{By: notifier.KeyRef("shop")}, []int64{ids[2], ids[1], ids[0]}},
			{notifier.QuestionQuery{By: notifier.KeyRef("other")}, nil},
			{notifier.QuestionQuery{State: notifier.AskAnswered}, []int64{ids[1]}},
			{notifier.QuestionQuery{Limit: 1, Before: ids[2]}, []int64{ids[1]}},
			{notifier.QuestionQuery{Since: db.clock.at.Add(-time.Minute)}, []int64{ids[2]}},
		} {
			var got []int64
			for _, q := range must(s.Questions(t.Context(), c.q))(t) {
				got = append(got, q.ID)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("%+v: %s", c.q, diff)
			}
		}
		if mine := must(s.AnswersOf(t.Context(), ann.Seq, ids))(t); len(mine) != 1 || mine[ids[1]] != "approve" {
			t.Errorf("answers: %v", mine)
		}
	})
}

func TestOfFiftyAnswersAtATimeOneWins(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		stores := []*store.Store{db.open(t), db.open(t)}
		s := stores[0]
		users := make([]notifier.User, 50)
		for i := range users {
			users[i] = addUser(t, s, fmt.Sprint("u", i))
		}
		for range 5 {
			id := ask(t, s, db, notifier.AskRule{Needs: 1}, named(users...), users...)
			won := make([]notifier.ChoiceID, len(users))
			var wg sync.WaitGroup
			for i, u := range users {
				wg.Go(func() {
					choice := []notifier.ChoiceID{"approve", "reject"}[i%2]
					_, _, err := answer(t, stores[i/2%2], id, u, choice, "x")
					var refused *notifier.RefusedAnswerError
					switch {
					case err == nil:
						won[i] = choice
					case !errors.As(err, &refused) || !refused.Asked.Ended():
						t.Errorf("user %d: %v", i, err)
					}
				})
			}
			wg.Wait()
			winners, outcome := 0, notifier.ChoiceID("")
			for _, choice := range won {
				if choice != "" {
					winners, outcome = winners+1, choice
				}
			}
			if q := must(s.Question(t.Context(), id))(t); winners != 1 || q.Asked.Outcome != outcome || len(q.Answers) != 1 || q.Revision != 1 {
				t.Errorf("%d winners, outcome %s, %d answers, revision %d", winners, q.Asked.Outcome, len(q.Answers), q.Revision)
			}
		}
	})
}

func TestOpenQuestionsAreListedWithTheirRecipients(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		ann, ben := addUser(t, s, "ann"), addUser(t, s, "ben")
		first := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann, ben), ann, ben)
		second := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ben), ben)
		third := ask(t, s, db, notifier.AskRule{Needs: 1}, named(ann), ann)
		if _, _, err := answer(t, s, second, ben, "approve", ""); err != nil {
			t.Fatal(err)
		}
		if ids := must(s.OpenAsks(t.Context(), 9))(t); !cmp.Equal(ids, []int64{third, first}) {
			t.Errorf("open: %v, want %v", ids, []int64{third, first})
		}
		if ids := must(s.OpenAsks(t.Context(), 1))(t); !cmp.Equal(ids, []int64{third}) {
			t.Errorf("the newest: %v", ids)
		}
		asked := must(s.AskedIn(t.Context(), []int64{first, 999}))(t)
		if len(asked) != 1 || asked[0].ID != first || asked[0].Key != "payment:payment:1" || !asked[0].Asks(ann.Seq) || !asked[0].Asks(ben.Seq) || asked[0].Asks(ben.Seq+1) || asked[0].Asks(-1) || asked[0].Asks(ann.Seq+1<<32) {
			t.Errorf("asked: %+v", asked)
		}
		if none := must(s.AskedIn(t.Context(), nil))(t); len(none) > 0 {
			t.Errorf("without ids: %+v", none)
		}
	})
}
