package api

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/notifier/ask"
	"github.com/carillonhq/carillon/store"
)

const twoChoices = `"choices":[{"id":"approve","label":"Approve","style":"primary","comment":"optional"},{"id":"reject","label":"Reject","style":"danger","comment":"required"}]`

// askThem asks, and waits until bob, if he is asked, has the row.
func (w *world) askThem(t *testing.T, target, more string) acceptedAsk {
	t.Helper()
	var asked acceptedAsk
	w.call(t, w.send, "POST", "/asks", `{"target":`+target+`,"type":"payment","title":"Pay 4,200 € to Acme?",`+twoChoices+more+`}`).is(t, http.StatusAccepted).into(t, &asked)
	if asked.State != "open" || asked.URL != prefix+"/asks/"+strconv.FormatInt(asked.ID, 10) {
		t.Errorf("accepted: %+v", asked)
	}
	if strings.Contains(target, "bob") {
		testkit.Eventually(t, "bob has the question", func() bool { return w.rowOf(t, w.bob, asked.ID) != nil })
	}
	return asked
}

// rowOf returns the row of a notice in the inbox of the user of a token; nil: there is none.
func (w *world) rowOf(t *testing.T, token string, id int64) *meNotice {
	t.Helper()
	var page struct{ Notices []meNotice }
	w.call(t, token, "GET", "/me/notices?limit=200", nil).is(t, http.StatusOK).into(t, &page)
	for i := range page.Notices {
		if page.Notices[i].ID == id {
			return &page.Notices[i]
		}
	}
	return nil
}

func (w *world) question(t *testing.T, id int64) (q askOutput) {
	t.Helper()
	w.call(t, w.send, "GET", "/asks/"+strconv.FormatInt(id, 10), nil).is(t, http.StatusOK).into(t, &q)
	return q
}

func (w *world) give(t *testing.T, token string, id int64, choice, comment string) reply {
	t.Helper()
	return w.call(t, token, "POST", "/me/answers", answerBody{id, choice, comment})
}

func TestAnAnswerEndsAQuestionAndEveryRowFollows(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		alice := w.token(t, "alice", nil)
		asked := w.askThem(t, `{"users":["alice","bob"]}`, `,"expires_in":"2h","otherwise":"reject"`)
		row := w.rowOf(t, w.bob, asked.ID)
		if a := row.Ask; row.Read || a == nil || a.ID != asked.ID || a.State != "open" || len(a.Choices) != 2 || a.Outcome != nil || a.Mine != nil {
			t.Errorf("the open row is %+v", row)
		}
		var first, again givenAnswer
		w.give(t, alice, asked.ID, "approve", " fits the budget ").is(t, http.StatusOK).into(t, &first)
		w.give(t, alice, asked.ID, "approve", "other words").is(t, http.StatusOK).into(t, &again)
		if first != again && (first.At != again.At || again.Comment != "fits the budget" || again.State != "answered") {
			t.Errorf("first %+v, again %+v", first, again)
		}
		for who, token := range map[string]string{"alice": alice, "bob": w.bob} {
			testkit.Eventually(t, "the row of "+who+" follows", func() bool {
				row := w.rowOf(t, token, asked.ID)
				return row != nil && row.Read && row.Ask.State == "answered" && row.Ask.Outcome != nil && *row.Ask.Outcome == "approve" && len(row.Ask.Answers) == 1 &&
					*row.Ask.Answers[0].User == "alice" && row.Ask.Answers[0].Comment == "fits the budget" && (row.Ask.Mine != nil && *row.Ask.Mine == "approve") == (who == "alice")
			})
		}
		var late problem
		refused := w.give(t, w.bob, asked.ID, "reject", "too much").is(t, http.StatusConflict)
		refused.into(t, &late)
		if late.Outcome != "approve" || late.Code != "ask_ended" || !strings.Contains(refused.text, "Approve · alice, ") {
			t.Errorf("a late answer: %s", refused.text)
		}
		q := w.question(t, asked.ID)
		if q.State != "answered" || *q.Outcome != "approve" || len(q.Answers) != 1 || *q.Answers[0].User != "alice" || q.Answers[0].Comment != "fits the budget" {
			t.Errorf("the question is %+v", q)
		}
		public, err := ask.ParseReceiptKeys([]byte(w.call(t, "", "GET", "/receipts/jwks.json", nil).is(t, http.StatusOK).text))
		if err != nil {
			t.Fatal(err)
		}
		if r, _, err := public.Verify([]byte(q.Receipt)); err != nil || r.ID != asked.ID || r.Outcome != "approve" || *r.Answers[0].User != "alice" {
			t.Errorf("the receipt proves %+v, %v", r, err)
		}
		w.call(t, w.send, "DELETE", "/asks/"+strconv.FormatInt(asked.ID, 10), nil).is(t, http.StatusConflict)
		var poll struct{ Notices []pollNotice }
		w.call(t, w.read, "GET", "/users/bob/notices", nil).is(t, http.StatusOK).into(t, &poll)
		if a := poll.Notices[0].Ask; a == nil || a.State != "answered" {
			t.Errorf("a poll has %+v", poll.Notices)
		}
		if xml := w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", "application/xml").is(t, http.StatusOK).text; !strings.Contains(xml, "<outcome>approve</outcome>") {
			t.Errorf("as XML: %s", xml)
		}
	})
}

func TestWrongQuestionsNameTheFault(t *testing.T) {
	t.Parallel()
	w := newStillWorld(t, "", redistest.Client(t))
	choice := func(id string) string { return `{"id":"` + id + `","label":"L"}` }
	for name, c := range map[string]struct{ change, with, want string }{
		"one choice":        {twoChoices, `"choices":[` + choice("a") + `]`, "body.choices"},
		"five choices":      {twoChoices, `"choices":[` + strings.Join([]string{choice("a"), choice("b"), choice("c"), choice("d"), choice("e")}, ",") + `]`, "body.choices"},
		"very many choices": {twoChoices, `"choices":[` + strings.Repeat(choice("a")+",", 1000) + choice("a") + `]`, "body.choices"},
		"no choices":        {twoChoices, `"choices":[]`, "body.choices"},
		"equal ids":         {twoChoices, `"choices":[` + choice("a") + `,` + choice("a") + `]`, "body.choices[1].id"},
		"a wrong id":        {twoChoices, `"choices":[` + choice("a b") + `,` + choice("b") + `]`, "body.choices[0].id"},
		"an empty label":    {`"label":"Reject"`, `"label":""`, "body.choices[1].label"},
		"a long label":      {`"label":"Reject"`, `"label":"` + strings.Repeat("x", 25) + `"`, "body.choices[1].label"},
		"a wrong style":     {`"style":"danger"`, `"style":"loud"`, "body.choices[1].style"},
		"a wrong comment":   {`"comment":"required"`, `"comment":"must"`, "body.choices[1].comment"},
		"otherwise unknown": {`"type"`, `"otherwise":"later","type"`, "body.otherwise"},
		"otherwise of all":  {`"type"`, `"answers":"all","otherwise":"reject","type"`, "body.otherwise"},
		"no answers":        {`"type"`, `"answers":0,"type"`, "body.answers"},
		"some answers":      {`"type"`, `"answers":"some","type"`, "body.answers"},
		"half an answer":    {`"type"`, `"answers":1.5,"type"`, "body.answers"},
		"negative answers":  {`"type"`, `"answers":-1,"type"`, "body.answers"},
		"too many answers":  {`"type"`, `"answers":99,"type"`, "body.answers"},
		"too few people":    {`"type"`, `"answers":3,"type"`, "body.answers"},
		"audiences":         {`{"users":["alice","bob"]}`, `{"audiences":["user"]}`, "body.target.audiences"},
		"a take":            {`"type"`, `"take":{"within":"30m"},"type"`, "body.take"},
		"an edge":           {`"type"`, `"pinned":true,"type"`, "body.pinned"},
		"shared rows":       {`"type"`, `"more":{"other":"{others} ask"},"type"`, "body.more"},
		"too long":          {`"type"`, `"expires_in":"9999d","type"`, "body.expires_in"},
	} {
		body := `{"target":{"users":["alice","bob"]},"type":"payment","title":"Pay?",` + twoChoices + `}`
		changed := strings.Replace(body, c.change, c.with, 1)
		res := w.call(t, w.send, "POST", "/asks", changed)
		if res.StatusCode != http.StatusUnprocessableEntity || !slices.Contains(res.faults(t), c.want) {
			t.Errorf("%s: %d, want a fault of %s: %s", name, res.StatusCode, c.want, res.text)
		}
	}
	w.call(t, w.send, "POST", "/asks", `{"target":{"users":["alice"]},"title":"Pay?","otherwise":null,`+twoChoices+`}`).is(t, http.StatusAccepted)
	for _, query := range []string{"wait=600", "wait=-1", "wait=x"} {
		if res := w.call(t, w.send, "GET", "/asks/1?"+query, nil).is(t, http.StatusUnprocessableEntity); !slices.Contains(res.faults(t), "query.wait") {
			t.Errorf("%s: %s", query, res.text)
		}
	}
}

func TestWrongAnswersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	alice := w.token(t, "alice", nil)
	mine, others := w.askThem(t, `{"users":["bob","alice"]}`, ""), w.askThem(t, `{"users":["alice"]}`, "")
	for name, c := range map[string]struct {
		token, choice, comment string
		id                     int64
		status                 int
		want                   string
	}{
		"nobody":          {"", "approve", "", mine.ID, 401, ""},
		"another's":       {w.bob, "approve", "", others.ID, 404, ""},
		"unknown":         {w.bob, "approve", "", 999, 404, ""},
		"no id":           {w.bob, "approve", "", 0, 404, ""},
		"control":         {w.bob, "reject", "a\x00b", mine.ID, 422, "body.comment"},
		"no such choice":  {w.bob, "later", "", mine.ID, 422, "body.choice"},
		"without comment": {w.bob, "reject", " \n", mine.ID, 422, "body.comment"},
		"long comment":    {w.bob, "reject", strings.Repeat("é", 501), mine.ID, 422, "body.comment"},
	} {
		res := w.give(t, c.token, c.id, c.choice, c.comment)
		if res.StatusCode != c.status || c.want != "" && !slices.Contains(res.faults(t), c.want) {
			t.Errorf("%s: %d: %s", name, res.StatusCode, res.text)
		}
	}
	w.give(t, w.bob, mine.ID, "reject", strings.Repeat("é", 500)).is(t, http.StatusOK)
	if res := w.call(t, w.bob, "POST", "/me/answers", `{"id":1,"choice":"approve","user":"alice"}`).is(t, http.StatusUnprocessableEntity); !slices.Contains(res.faults(t), "body.user") {
		t.Errorf("for somebody else: %s", res.text)
	}
	var plain acceptedAsk
	w.call(t, w.send, "POST", "/asks", `{"target":{"users":["bob"]},"title":"Lunch?","choices":[{"id":"yes","label":"Yes"},{"id":"no","label":"No"}]}`).is(t, http.StatusAccepted).into(t, &plain)
	testkit.Eventually(t, "bob has it", func() bool { return w.rowOf(t, w.bob, plain.ID) != nil })
	if res := w.give(t, w.bob, plain.ID, "yes", "because").is(t, http.StatusUnprocessableEntity); !slices.Contains(res.faults(t), "body.comment") {
		t.Errorf("a comment that is not wanted: %s", res.text)
	}
	key := w.rowOf(t, alice, others.ID).Key
	w.call(t, alice, "POST", "/me/delete", keysBody{Keys: []string{key}}).is(t, http.StatusOK)
	w.give(t, alice, others.ID, "approve", "").is(t, http.StatusNotFound)
}

func TestQuestionsBelongToTheirKeysAndTheirWordsAreFixed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.askThem(t, `{"users":["bob"]}`, "")
	path := "/asks/" + strconv.FormatInt(asked.ID, 10)
	other := w.key(t, "other", "send")
	w.call(t, other, "GET", path, nil).is(t, http.StatusNotFound)
	w.call(t, other, "DELETE", path, nil).is(t, http.StatusNotFound)
	w.call(t, w.read, "GET", path, nil).is(t, http.StatusForbidden)
	w.call(t, w.admin, "GET", path, nil).is(t, http.StatusOK)
	if res := w.call(t, w.send, "PATCH", "/notices/"+strconv.FormatInt(asked.ID, 10), `{"title":"Pay more?"}`).is(t, http.StatusUnprocessableEntity); !strings.Contains(res.text, "withdraw it and ask anew") {
		t.Error(res.text)
	}
	w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusNoContent)
	testkit.Eventually(t, "the row says so", func() bool {
		row := w.rowOf(t, w.bob, asked.ID)
		return row.Read && row.Ask.State == "withdrawn" && row.Ask.Outcome == nil
	})
	w.call(t, w.send, "DELETE", path, nil).is(t, http.StatusConflict)
	w.give(t, w.bob, asked.ID, "approve", "").is(t, http.StatusConflict)
}

func TestTheSameKeyAsksOnceAndTheListHasACursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	body := `{"target":{"users":["bob"]},"title":"Pay?",` + twoChoices + `}`
	var first, again acceptedAsk
	w.call(t, w.send, "POST", "/asks", body, "Idempotency-Key", "a").is(t, http.StatusAccepted).into(t, &first)
	res := w.call(t, w.send, "POST", "/asks", body, "Idempotency-Key", "a").is(t, http.StatusAccepted)
	if res.into(t, &again); again != first || res.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("%+v, then %+v", first, again)
	}
	w.call(t, w.send, "POST", "/asks", strings.Replace(body, `"Reject"`, `"Refuse"`, 1), "Idempotency-Key", "a").is(t, http.StatusUnprocessableEntity)
	for range 2 {
		w.call(t, w.send, "POST", "/asks", body).is(t, http.StatusAccepted)
	}
	var ids []int64
	for after, pages := "", 0; pages == 0 || after != ""; pages++ {
		var page askPage
		w.call(t, w.send, "GET", "/asks?state=open&since=&limit=2&after="+after, nil).is(t, http.StatusOK).into(t, &page)
		for _, a := range page.Asks {
			ids = append(ids, a.ID)
		}
		after = page.Next
	}
	if len(ids) != 3 || ids[2] != first.ID || !slices.IsSortedFunc(ids, func(a, b int64) int { return int(b - a) }) {
		t.Errorf("listed: %v", ids)
	}
	for _, wrong := range []string{"after=x", "since=x", "state=x"} {
		w.call(t, w.send, "GET", "/asks?"+wrong, nil).is(t, http.StatusUnprocessableEntity)
	}
}

// signalling is a store that reports each question that a waiting call reads, which happens once it waits.
type signalling struct {
	*store.Store
	read chan struct{}
}

func (s signalling) Question(ctx context.Context, id int64) (notifier.Question, error) {
	q, err := s.Store.Question(ctx, id)
	s.read <- struct{}{}
	return q, err
}

// failing is a store that is away while it fails.
type failing struct {
	ask.Store
	fails atomic.Bool
}

func (f *failing) OpenAsks(ctx context.Context, most int) ([]int64, error) {
	if f.fails.Load() {
		return nil, notifier.ErrUnavailable
	}
	return f.Store.OpenAsks(ctx, most)
}

func TestOpenQuestionsAreKnownToThoseWhoWereAskedUntilTheyEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	db := &failing{Store: w.store}
	here := ask.New(ask.Config{Store: db, Watch: time.Nanosecond, Log: slog.New(slog.DiscardHandler)})
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	wantOpen := func(when string, want ...int64) {
		t.Helper()
		var got []int64
		for _, q := range here.OpenFor(t.Context(), bob.Seq) {
			got = append(got, q.ID)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s, bob has %v, want %v", when, got, want)
		}
	}
	wantOpen("before all")
	first, others := w.askThem(t, `{"users":["bob","alice"]}`, ""), w.askThem(t, `{"users":["alice"]}`, "")
	second := w.askThem(t, `{"users":["bob"]}`, "")
	wantOpen("asked twice", second.ID, first.ID)
	if err := here.Withdraw(t.Context(), notifier.Actor{}, others.ID); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.asks.Answer(t.Context(), notifier.Actor{}, notifier.Answering{Ask: first.ID, User: bob, Choice: "approve"}); err != nil {
		t.Fatal(err)
	}
	wantOpen("after an answer", second.ID)
	db.fails.Store(true)
	if err := here.Withdraw(t.Context(), notifier.Actor{}, second.ID); err != nil {
		t.Fatal(err)
	}
	wantOpen("while SQL does not answer", second.ID)
	db.fails.Store(false)
	wantOpen("at the end")
}

// The callers wait at one instance, and the answer is given at another, which dies right after its commit: it wakes neither
// them nor the delivery.
func TestAWaitEndsWithTheQuestionOnAnyInstance(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dying := ask.New(ask.Config{Store: w.store, NoticeOf: w.inbox.NoticeOf})
	reads := signalling{w.store, make(chan struct{}, 100)}
	here := ask.New(ask.Config{Store: reads, NoticeOf: w.inbox.NoticeOf, Watch: 20 * time.Millisecond, Log: slog.New(slog.DiscardHandler)})
	runUntilEnd(t, here.Run)
	bob, err := w.store.UserByName(t.Context(), "bob")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // a wait that nothing ends returns an open question then
	defer cancel()
	var waiting sync.WaitGroup
	found := make([]notifier.Question, 3)
	wait := func(id int64, callers int) {
		for i := range callers {
			waiting.Go(func() {
				var err error
				if found[i], err = here.Wait(ctx, id, time.Hour); err != nil {
					t.Error(err)
				}
			})
		}
		for range callers {
			<-reads.read
		}
	}
	asked := w.askThem(t, `{"users":["bob","alice"]}`, "")
	wait(asked.ID, 3)
	if _, _, err := dying.Answer(t.Context(), notifier.Actor{}, notifier.Answering{Ask: asked.ID, User: bob, Choice: "approve"}); err != nil {
		t.Fatal(err)
	}
	waiting.Wait()
	for _, q := range found {
		if q.Asked.State != notifier.AskAnswered || q.Asked.Outcome != "approve" {
			t.Errorf("waited for %s, %q", q.Asked.State, q.Asked.Outcome)
		}
	}
	testkit.Eventually(t, "the rows follow", func() bool {
		row := w.rowOf(t, w.bob, asked.ID)
		return row != nil && row.Read && row.Ask.State == "answered"
	})
	for len(reads.read) > 0 {
		<-reads.read
	}
	open := w.askThem(t, `{"users":["bob"]}`, "")
	wait(open.ID, 1)
	here.Stop()
	waiting.Wait()
	if state := found[0].Asked.State; state != notifier.AskOpen || ctx.Err() != nil {
		t.Errorf("a stopping instance answers %s, %v", state, ctx.Err())
	}
}

func TestAWaitingCallIsAnsweredOnceItsQuestionHasEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.askThem(t, `{"users":["bob"]}`, "")
	w.give(t, w.bob, asked.ID, "approve", "").is(t, http.StatusOK)
	var q askOutput
	w.call(t, w.send, "GET", "/asks/"+strconv.FormatInt(asked.ID, 10)+"?wait=60", nil).is(t, http.StatusOK).into(t, &q)
	if q.State != "answered" || q.Receipt == "" {
		t.Errorf("%+v", q)
	}
}

func TestQuestionsExpireByThemselves(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.askThem(t, `{"users":["bob"]}`, `,"expires_in":"1s","otherwise":"reject"`)
	testkit.Eventually(t, "it ends", func() bool {
		row := w.rowOf(t, w.bob, asked.ID)
		return row != nil && row.Read && row.Ask.State == "expired" && *row.Ask.Outcome == "reject"
	})
	row := w.rowOf(t, w.bob, asked.ID)
	if ends, err := time.Parse(time.RFC3339, row.ExpiresAt); err != nil || time.Until(ends) < time.Hour {
		t.Errorf("the row leaves at %s", row.ExpiresAt)
	}
}

func TestEventsCarryTheQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := w.askThem(t, `{"users":["bob","alice"]}`, "")
	stream := w.follow(t, w.bob, "/me/events")
	stream.next(t)
	w.give(t, w.token(t, "alice", nil), asked.ID, "approve", "").is(t, http.StatusOK)
	for {
		e := stream.next(t)
		if e.name != "changed" {
			continue
		}
		var changed struct {
			Ask struct{ State, Outcome string }
		}
		if err := json.Unmarshal([]byte(e.data), &changed); err != nil || changed.Ask.State != "answered" || changed.Ask.Outcome != "approve" {
			t.Errorf("changed: %s, %v", e.data, err)
		}
		return
	}
}
