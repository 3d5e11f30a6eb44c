package api

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
)

// sendTask sends a task, and waits until bob, if he gets it, has the row.
func (w *world) sendTask(t *testing.T, target, take string) int64 {
	t.Helper()
	var sent acceptedNotice
	w.call(t, w.send, "POST", "/notices", `{"target":`+target+`,"type":"oven","subject":"oven:3","title":"The oven is cold","take":`+take+`}`).is(t, http.StatusAccepted).into(t, &sent)
	if strings.Contains(target, "bob") {
		testkit.Eventually(t, "bob has the task", func() bool { return w.rowOf(t, w.bob, sent.ID) != nil })
	}
	return sent.ID
}

func (w *world) doTask(t *testing.T, token, deed string, id int64) reply {
	t.Helper()
	return w.call(t, token, "POST", "/me/"+deed, taskBody{id})
}

func TestATaskIsTakenGivenBackAndDoneAndAllRowsFollow(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		alice := w.token(t, "alice", nil)
		id := w.sendTask(t, `{"users":["alice","bob"]}`, `{}`)
		if row := w.rowOf(t, w.bob, id); row.Read || row.Take == nil || row.Take.By != nil || row.Take.At != nil || row.Take.DoneAt != nil || row.Take.Done != "required" {
			t.Errorf("the open row is %+v", row.Take)
		}
		w.doTask(t, alice, "done", id).is(t, http.StatusConflict).has(t, `"code":"task_open"`, "Nobody has it")
		var first, again takenTask
		w.doTask(t, alice, "take", id).is(t, http.StatusOK).into(t, &first)
		w.doTask(t, alice, "take", id).is(t, http.StatusOK).into(t, &again)
		if first.State != "taken" || *first.By != "alice" || *again.At != *first.At || first.ID != id {
			t.Errorf("taken: %+v, again %+v", first, again)
		}
		shown := func(by string, done bool) {
			t.Helper()
			for who, token := range map[string]string{"alice": alice, "bob": w.bob} {
				testkit.Eventually(t, "the row of "+who+" shows "+by, func() bool {
					row := w.rowOf(t, token, id)
					return row != nil && row.Read == (by != "") && (row.Take.By != nil) == (by != "") && (by == "" || *row.Take.By == by) && (row.Take.DoneAt != nil) == done
				})
			}
		}
		shown("alice", false)
		w.doTask(t, w.bob, "take", id).is(t, http.StatusConflict).has(t, `"code":"task_taken"`, "alice has it since ")
		w.doTask(t, w.bob, "give-back", id).is(t, http.StatusConflict).has(t, "alice has it since ")
		w.doTask(t, alice, "give-back", id).is(t, http.StatusOK).has(t, `"state":"open","by":null,"at":null,"done_at":null`)
		testkit.Eventually(t, "nobody has it", func() bool { return w.rowOf(t, w.bob, id).Take.By == nil })
		w.doTask(t, w.bob, "take", id).is(t, http.StatusOK)
		w.doTask(t, w.bob, "done", id).is(t, http.StatusOK).has(t, `"state":"done","by":"bob"`)
		shown("bob", true)
		w.doTask(t, alice, "take", id).is(t, http.StatusConflict).has(t, `"code":"task_done"`, "It is done: bob, ")
		w.call(t, w.send, "GET", "/notices/"+strconv.FormatInt(id, 10), nil).is(t, http.StatusOK).has(t, `"taken_by":"bob"`, `"taken_at":"2`, `"done_at":"2`)
		w.call(t, w.read, "GET", "/users/bob/notices", nil).is(t, http.StatusOK).has(t, `"take":{"by":"bob",`)
		if xml := w.call(t, w.read, "GET", "/users/bob/notices", nil, "Accept", "application/xml").is(t, http.StatusOK).text; !strings.Contains(xml, "<take><by>bob</by>") {
			t.Errorf("as XML: %s", xml)
		}
		w.doTask(t, w.token(t, "carol", nil), "take", id).is(t, http.StatusNotFound)
		w.doTask(t, w.bob, "take", 9999).is(t, http.StatusNotFound)
	})
}

func TestATaskThatNobodyTakesGoesToOthersAsWell(t *testing.T) {
	t.Parallel()
	onEachDatabase(t, func(t *testing.T, url string) {
		w := newWorldOn(t, url, redistest.Client(t))
		alice := w.token(t, "alice", nil)
		id := w.sendTask(t, `{"users":["bob"]}`, `{"within":"1s","else":{"users":["alice","bob"]}}`)
		passed := int64(0)
		testkit.Eventually(t, "alice gets it", func() bool {
			var page struct{ Notices []meNotice }
			w.call(t, alice, "GET", "/me/notices", nil).is(t, http.StatusOK).into(t, &page)
			if len(page.Notices) > 0 {
				passed = page.Notices[0].ID
			}
			return passed > 0
		})
		if row := w.rowOf(t, alice, passed); row.Read || !row.Take.Late || row.Title != "The oven is cold" {
			t.Errorf("the row of alice is %+v", row)
		}
		testkit.Eventually(t, "bob's row is replaced", func() bool { return w.rowOf(t, w.bob, passed) != nil && w.rowOf(t, w.bob, id) == nil })
		w.doTask(t, w.bob, "take", id).is(t, http.StatusOK).has(t, `"id":`+strconv.FormatInt(id, 10)+`,`) // by the id that he had
		testkit.Eventually(t, "alice sees that bob has it", func() bool {
			row := w.rowOf(t, alice, passed)
			return row.Read && row.Take.By != nil && *row.Take.By == "bob"
		})
		w.doTask(t, alice, "done", passed).is(t, http.StatusConflict).has(t, "bob has it since ")
		w.call(t, w.send, "DELETE", "/notices/"+strconv.FormatInt(id, 10), nil).is(t, http.StatusNoContent)
		testkit.Eventually(t, "the rows are gone", func() bool { return w.rowOf(t, alice, passed) == nil && w.rowOf(t, w.bob, passed) == nil })
	})
}

func TestWrongTasksNameTheFault(t *testing.T) {
	t.Parallel()
	w := newStillWorld(t, "", redistest.Client(t))
	for name, c := range map[string]struct{ target, more, want string }{
		"an audience":        {`{"audiences":["user"]}`, `"take":{}`, "body.take"},
		"a shared row":       {`{"users":["bob"]}`, `"take":{},"more":{"other":"{others} ovens"}`, "body.more"},
		"a wrong time":       {`{"users":["bob"]}`, `"take":{"within":"soon"}`, "body.take.within"},
		"no time":            {`{"users":["bob"]}`, `"take":{"within":"0s"}`, "body.take.within"},
		"longer than it is":  {`{"users":["bob"]}`, `"take":{"within":"2h"},"expires_in":"1h"`, "body.take.within"},
		"nobody else":        {`{"users":["bob"]}`, `"take":{"within":"1h","else":{}}`, "body.take.else"},
		"else without time":  {`{"users":["bob"]}`, `"take":{"else":{"role":"picker"}}`, "body.take.within"},
		"else an audience":   {`{"users":["bob"]}`, `"take":{"within":"1h","else":{"audiences":["user"]}}`, "body.take.else"},
		"else two targets":   {`{"users":["bob"]}`, `"take":{"within":"1h","else":{"role":"a","users":["b"]}}`, "body.take.else"},
		"else an empty name": {`{"users":["bob"]}`, `"take":{"within":"1h","else":{"users":[""]}}`, "body.take.else"},
		"else unknown":       {`{"users":["bob"]}`, `"take":{"within":"1h","else":{"role":"nobody"}}`, "body.take.else"},
		"else no such user":  {`{"users":["bob"]}`, `"take":{"within":"1h","else":{"users":["alice","nemo"]}}`, "body.take.else"},
		"a wrong rule":       {`{"users":["bob"]}`, `"take":{"done":"maybe"}`, "body.take.done"},
		"an unknown field":   {`{"users":["bob"]}`, `"take":{"until":"1h"}`, "body.take.until"},
		"no object":          {`{"users":["bob"]}`, `"take":"1h"`, "body.take"},
	} {
		var bad problem
		w.call(t, w.send, "POST", "/notices", `{"target":`+c.target+`,"title":"Oven",`+c.more+`}`).is(t, http.StatusUnprocessableEntity).into(t, &bad)
		if len(bad.Errors) == 0 || !strings.HasPrefix(bad.Errors[0].Location, c.want) {
			t.Errorf("%s: %+v; want %s", name, bad.Errors, c.want)
		}
	}
	var bad problem
	w.call(t, w.send, "POST", "/asks", `{"target":{"users":["bob"]},"title":"Pay?",`+twoChoices+`,"take":{}}`).is(t, http.StatusUnprocessableEntity).into(t, &bad)
	if len(bad.Errors) == 0 || bad.Errors[0].Location != "body.take" {
		t.Errorf("in a question: %+v", bad.Errors)
	}
}

// has checks that the answer contains each of these texts.
func (r reply) has(t *testing.T, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(r.text, part) {
			t.Errorf("%s is missing in: %s", part, r.text)
		}
	}
}
