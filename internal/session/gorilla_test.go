package session_test

import (
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gorilla/sessions"

	"github.com/carillonhq/carillon/notifier"
)

func TestGorillaGetReturnsTheSavedSession(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	var gorilla sessions.Store = b.open()
	r := request(t)
	fresh, err := gorilla.Get(r, "any")
	if err != nil || !fresh.IsNew {
		t.Fatalf("session = %+v, %v; want a new one", fresh, err)
	}
	if again, _ := gorilla.Get(r, "any"); again != fresh {
		t.Error("a second Get returns another session")
	}
	fresh.Values[notifier.SessionUser] = notifier.Signed{User: b.alice}
	w := httptest.NewRecorder()
	if err := fresh.Save(r, w); err != nil {
		t.Fatal(err)
	}
	c := only(t, w)
	r = request(t, c)
	kept, err := gorilla.Get(r, "any")
	if err != nil || kept.IsNew {
		t.Fatalf("session = %+v, %v; want the saved one", kept, err)
	}
	if diff := cmp.Diff(b.alice, kept.Values[notifier.SessionUser].(notifier.Signed).User); diff != "" {
		t.Errorf("user (-want +got):\n%s", diff)
	}
	w = httptest.NewRecorder()
	if err := kept.Save(r, w); err != nil || len(w.Header()) != 0 {
		t.Errorf("saving an unchanged session: %v, %v; want no cookie", err, w.Header())
	}
	kept.Options.MaxAge = -1
	if err := kept.Save(r, w); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, b.open(), c, "after MaxAge -1")
}

func TestSavingAnotherUserRenewsTheSessionID(t *testing.T) {
	t.Parallel()
	b := setUp(t)
	s := b.open()
	old := signIn(t, s, b.alice)
	r := request(t, old)
	kept, err := s.Get(r, "any")
	if err != nil {
		t.Fatal(err)
	}
	kept.Values[notifier.SessionUser] = notifier.Signed{User: b.bob}
	w := httptest.NewRecorder()
	if err := s.Save(r, w, kept); err != nil {
		t.Fatal(err)
	}
	wantAnonymous(t, s, old, "the old id")
	if u := wantSigned(t, s, only(t, w), "the new id").User; u.Seq != b.bob.Seq {
		t.Errorf("user %d; want %d", u.Seq, b.bob.Seq)
	}
}

func TestSaveRejectsValuesThatWouldBeLost(t *testing.T) {
	t.Parallel()
	s := setUp(t).open()
	r := request(t)
	fresh, err := s.Get(r, "any")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(r, httptest.NewRecorder(), fresh); err != nil {
		t.Errorf("saving an empty session: %v", err)
	}
	fresh.Values["basket"] = 3
	if err := s.Save(r, httptest.NewRecorder(), fresh); err == nil {
		t.Error("an unsupported value was accepted")
	}
}
