package handlers_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// taskWorld has one entry, a task, which decides as given.
func taskWorld(t *testing.T, take *notifier.Take, decide tasks) *world {
	t.Helper()
	w := questionWorld(t, nil, noAsks)
	look := w.inbox.look
	w.inbox.look = func(seq int64, q notifier.Query) (notifier.Page, error) {
		page, err := look(seq, q)
		page.Entries[0].Take = take
		return page, err
	}
	find := w.inbox.find
	w.inbox.find = func(seq int64, key string, opened int64) (notifier.Entry, error) {
		e, err := find(seq, key, opened)
		e.Take = take
		return e, err
	}
	w.decide = decide
	return w
}

func TestATaskIsTakenWithoutScript(t *testing.T) {
	t.Parallel()
	var given []notifier.Taking
	w := taskWorld(t, &notifier.Take{Finish: notifier.DoneRequired}, func(is notifier.Taking) (notifier.Task, error) {
		given = append(given, is)
		return notifier.Task{}, nil
	})
	r := w.get("alice", shown).wantStatus(t, http.StatusOK)
	if r.count(".question form") != 1 || r.attr(".question form", "action") != "/inbox/take" || r.text(".question button") != "Take" || r.count(".became") != 0 {
		t.Errorf("the row:\n%s", r.body)
	}
	key := r.attr(".question [name=key]", "value")
	for deed, done := range map[string]string{"take": "taken", "done": "finished", "give-back": "given_back"} {
		r := w.post("alice", "/inbox/"+deed, "key", key, "back", shown).wantStatus(t, http.StatusSeeOther)
		if to := r.Header.Get("Location"); to != "/inbox?done="+done+"&filter=unread" {
			t.Errorf("%s leads to %s", deed, to)
		}
		if last := given[len(given)-1]; last.Notice != 5 || last.User.Name != "alice" || string(last.Deed) != deed {
			t.Errorf("%s is %+v", deed, last)
		}
	}
	w.post("carol", "/inbox/take", "key", key).wantStatus(t, http.StatusNotFound)
	w.post("alice", "/inbox/take").wantStatus(t, http.StatusUnprocessableEntity)
	if len(given) != 3 {
		t.Error("a refused form takes the task")
	}
}

func TestATaskShowsWhoHasItAndOffersItsHolderMore(t *testing.T) {
	t.Parallel()
	at := noon.Add(-time.Hour)
	for name, c := range map[string]struct {
		take  notifier.Take
		text  string
		deeds string
	}{
		"mine":            {notifier.Take{Finish: notifier.DoneRequired, By: "alice", At: at}, "You have it since 11:00", "Done Give back"},
		"mine, no report": {notifier.Take{Finish: notifier.DoneNone, By: "alice", At: at}, "You have it since 11:00", "Give back"},
		"of another":      {notifier.Take{Finish: notifier.DoneRequired, By: "bob", Name: "Bob <B>", At: at}, "Bob <B> has it since 11:00", ""},
		"long ago":        {notifier.Take{Finish: notifier.DoneRequired, By: "bob", At: at.Add(-72 * time.Hour)}, "bob has it since 17 Nov", ""},
		"of a deleted":    {notifier.Take{Finish: notifier.DoneRequired, At: at, DoneAt: noon}, "Done · Somebody, 12:00", ""},
		"done by me":      {notifier.Take{Finish: notifier.DoneRequired, By: "alice", At: at, DoneAt: noon}, "Done · alice, 12:00", ""},
		"passed on":       {notifier.Take{Finish: notifier.DoneRequired, Of: 3, Waited: time.Hour}, "Nobody took it in time", "Take"},
	} {
		r := taskWorld(t, &c.take, noTasks).get("alice", shown).wantStatus(t, http.StatusOK)
		if got := r.text("li.row .became"); got != c.text {
			t.Errorf("%s: %q; want %q", name, got, c.text)
		}
		if got := strings.Join(strings.Fields(r.text("li.row .question .calls")), " "); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.deeds, " ", "") {
			t.Errorf("%s: %q; want %q", name, got, c.deeds)
		}
	}
}

func TestARefusedDeedSaysWhoHasTheTask(t *testing.T) {
	t.Parallel()
	taken := notifier.Task{Taken: notifier.Take{Finish: notifier.DoneRequired, By: "bob", Name: "Bob", At: noon.Add(-time.Minute)}}
	w := taskWorld(t, &notifier.Take{Finish: notifier.DoneRequired, Of: 3}, func(notifier.Taking) (notifier.Task, error) {
		return notifier.Task{}, &notifier.RefusedTaskError{Task: taken}
	})
	key := w.get("alice", shown).attr(".question [name=key]", "value")
	const who = "Bob has it since 11:59"
	r := w.post("alice", "/inbox/take", "key", key, "back", shown).wantStatus(t, http.StatusConflict)
	r.wantText(t, ".became", who)
	r.wantText(t, "h1", "Task")
	if r.count(".question") != 0 {
		t.Error("the task of another still has buttons")
	}
	part := w.script("alice", "/inbox/take", "e5", "key="+key+"&back=%2Finbox%3Fopened%3D0").wantStatus(t, http.StatusOK)
	part.wantText(t, "#done p", who)
	part.wantText(t, "li.row .became", who)
}

func TestTheFormMakesANoticeATask(t *testing.T) {
	t.Parallel()
	var sent []notifier.Draft
	w := sendWorld(t, 2, &sent)
	w.post("carol", "/staff/send", with(with(with(goodForm, "take", "required"), "take_within", "30m"), "take_else", " lead ")...).wantRedirect(t, "/staff/notices/42")
	want := notifier.TakeRule{Within: 30 * time.Minute, Else: notifier.Target{Role: "lead"}}
	if take := sent[0].Extras.Take; take == nil || take.Finish != notifier.DoneRequired || take.Rule.Within != want.Within || take.Rule.Else.Role != want.Else.Role {
		t.Errorf("it is %+v", take)
	}
	w.post("carol", "/staff/send", with(with(goodForm, "take", ""), "take_within", "nonsense")...).wantRedirect(t, "/staff/notices/42")
	if sent[1].Extras.Take != nil {
		t.Error("without the choice it is a task")
	}
	for _, c := range []struct{ field, value, at string }{
		{"take", "maybe", "take"}, {"take_within", "soon", "take_within"}, {"take_within", "9000h", "take_within"}, {"take_within", "0s", "take_within"}, {"take_else", "lead", "take_within"}, {"choices", "Yes\nNo", "take"},
	} {
		fields := with(goodForm, "take", "required")
		fields = with(fields, c.field, c.value)
		r := w.post("carol", "/staff/send", fields...).wantStatus(t, http.StatusUnprocessableEntity)
		if r.text("#"+c.at+"-fault") == "" {
			t.Errorf("%s=%s: no fault beside %s: %s", c.field, c.value, c.at, r.text(".faults"))
		}
	}
	r := w.post("carol", "/staff/send", with(with(goodForm, "take", "none"), "preview", "1")...).wantStatus(t, http.StatusOK)
	if r.text("[data-testid=card] .calls span.primary") != "Take" || r.attr("#take option[selected]", "value") != "none" {
		t.Errorf("the preview:\n%s", r.text("#preview"))
	}
}

// task stores a task of alice and carol and returns its id.
func (w *world) task(title string, rule notifier.TakeRule) int64 {
	w.t.Helper()
	return w.taskOf(notifier.Target{Users: []string{"alice", "carol"}}, title, rule)
}

// taskOf is task with the given target.
func (w *world) taskOf(target notifier.Target, title string, rule notifier.TakeRule) int64 {
	w.t.Helper()
	n := notifier.Notice{Draft: notifier.Draft{
		Target: target, Type: "oven", Title: title, Sender: notifier.KeyRef("shop"),
		Extras: notifier.Extras{Take: &notifier.Take{Finish: notifier.DoneRequired, Rule: rule}},
	}, CreatedAt: w.clock(), ExpiresAt: w.clock().Add(48 * time.Hour)}
	a := notifier.Acceptance{Notice: &n, To: roaring.BitmapOf(uint32(alice.Seq), uint32(carol.Seq))}
	if err := w.db.AcceptAll(w.t.Context(), notifier.Deed{}, []*notifier.Acceptance{&a}); err != nil || a.Err != nil {
		w.t.Fatal(err, a.Err)
	}
	return n.ID
}

func TestStaffSeeWhatNobodyHasAndWhoHasTheRest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.get("alice", "/staff/tasks").wantStatus(t, http.StatusNotFound)
	w.get("carol", "/staff/tasks").wantStatus(t, http.StatusOK).wantText(t, ".empty h2", "Nothing waits to be taken")
	w.task("The oven is cold", notifier.TakeRule{Within: 3 * time.Hour})
	taken := w.task("The oven is hot", notifier.TakeRule{})
	if _, err := w.db.DoTask(t.Context(), notifier.Actor{}, notifier.Taking{Notice: taken, User: alice, Deed: notifier.DeedTake}); err != nil {
		t.Fatal(err)
	}
	r := w.get("carol", "/staff/tasks").wantStatus(t, http.StatusOK)
	if text := r.text("[data-testid=task]"); r.count("[data-testid=task]") != 1 || !strings.Contains(text, "The oven is cold") || !strings.Contains(text, "3 hours") || !strings.Contains(text, "Nobody has it") {
		t.Errorf("the open task: %s", text)
	}
	r = w.get("carol", "/staff/tasks?state=taken").wantStatus(t, http.StatusOK)
	if text := r.text("[data-testid=task]"); r.count("[data-testid=task]") != 1 || !strings.Contains(text, "The oven is hot") || !strings.Contains(text, "alice has it since") {
		t.Errorf("the taken task: %s", text)
	}
}
