package handlers_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// acting is a world in which every action succeeds.
func acting(w *world) {
	w.sessions.signIn = func(notifier.User) error { return nil }
	w.sessions.signOut = func() error { return nil }
	w.config.SignIns = signIns(func(string, string, string) (notifier.User, error) { return carol, nil })
	w.sender.send = func(d notifier.Draft) (notifier.Notice, error) { return notifier.Notice{Draft: d, ID: 17}, nil }
	w.sender.retract = func(int64) error { return nil }
}

func act(w *world) []int {
	return []int{
		w.post("", "/login", "username", "carol", "password", "secret").StatusCode,
		w.post("carol", "/staff/send", "target", "user", "to", "alice", "type", "note", "title", "Hello").StatusCode,
		w.post("carol", "/staff/notices/17/retract").StatusCode,
		w.post("carol", "/logout", "everywhere", "1").StatusCode,
	}
}

var allDone = []int{http.StatusSeeOther, http.StatusSeeOther, http.StatusSeeOther, http.StatusSeeOther}

func TestEveryActionIsAudited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acting)
	if diff := cmp.Diff(allDone, act(w)); diff != "" {
		t.Fatal(diff)
	}
	var got []string
	for _, e := range w.audit.entries {
		got = append(got, e.Actor.String()+" "+e.Action+" "+e.Object.String())
		if e.Address != "192.0.2.1" {
			t.Errorf("%s has address %q", e.Action, e.Address)
		}
	}
	want := []string{
		"carol session.begin ", "carol notice.send notice 17", "carol notice.retract notice 17",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"carol session.end_all"}, w.done()); diff != "" {
		t.Error(diff)
	}
}

func TestFailedAuditDoesNotUndoTheAction(t *testing.T) {
	t.Parallel()
	w := newWorld(t, acting)
	w.audit.err = errors.New("sql is away")
	if diff := cmp.Diff(allDone, act(w)); diff != "" {
		t.Error(diff)
	}
}
