package store_test

import (
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func saveDraft(t *testing.T, s *store.Store, d notifier.SavedDraft) {
	t.Helper()
	if err := s.SaveDraft(t.Context(), d); err != nil {
		t.Fatalf("save draft %q of user %d: %v", d.ID, d.Author, err)
	}
}

func TestADraftBelongsToItsAuthorAlone(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice").Seq, addUser(t, s, "bob").Seq
		first := db.clock.now()
		saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "one", Title: "Onl", Form: "title=Onl"})
		saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "two", Title: "\x00字", Form: "title=b"})
		db.clock.move(time.Minute)
		saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "one", Title: "Only", Form: "title=Only"})
		saveDraft(t, s, notifier.SavedDraft{Author: bob, ID: "one", Title: "Bob's", Form: "title=Bob"})
		list := []notifier.SavedDraft{
			{Author: alice, ID: "one", Title: "Only", ChangedAt: db.clock.now()}, {Author: alice, ID: "two", Title: "\ufffd字", ChangedAt: first},
		}
		if diff := cmp.Diff(list, must(s.SavedDrafts(t.Context(), alice))(t)); diff != "" {
			t.Error(diff)
		}
		list[0].Form = "title=Only"
		if diff := cmp.Diff(list[0], must(s.SavedDraft(t.Context(), alice, "one"))(t)); diff != "" {
			t.Error(diff)
		}
		for _, id := range []string{"two", "three", "", "\x00\xff"} {
			_, err := s.SavedDraft(t.Context(), bob, id)
			wantIs(t, err, notifier.ErrNotFound)
			wantIs(t, s.DeleteDraft(t.Context(), bob, id), notifier.ErrNotFound)
		}
		if err := s.DeleteDraft(t.Context(), alice, "one"); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.DeleteDraft(t.Context(), alice, "one"), notifier.ErrNotFound)
		if err := s.RestoreDraft(t.Context(), alice, "one"); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.RestoreDraft(t.Context(), alice, "one"), notifier.ErrNotFound)
		if diff := cmp.Diff(list[0], must(s.SavedDraft(t.Context(), alice, "one"))(t)); diff != "" {
			t.Error("restored: " + diff)
		}
		if err := s.DeleteDraft(t.Context(), alice, "one"); err != nil {
			t.Fatal(err)
		}
		wantIs(t, s.RestoreDraft(t.Context(), bob, "two"), notifier.ErrNotFound)
		if len(must(s.SavedDrafts(t.Context(), alice))(t)) != 1 || len(must(s.SavedDrafts(t.Context(), bob))(t)) != 1 {
			t.Error("more than that draft was deleted")
		}
		wantIs(t, s.SaveDraft(t.Context(), notifier.SavedDraft{Author: 99, ID: "one"}), notifier.ErrNotFound)
	})
}

func TestADraftIsGoneAsSoonAsItIsSent(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice"), addUser(t, s, "bob")
		for _, author := range []int64{alice.Seq, bob.Seq} {
			saveDraft(t, s, notifier.SavedDraft{Author: author, ID: "one"})
		}
		sent := notifier.Notice{Draft: draft()}
		acceptAll(t, s, &notifier.Acceptance{Notice: &sent, Once: &notifier.Once{Owner: notifier.UserRef(alice), Key: "one", Digest: []byte("1")}})
		if list := must(s.SavedDrafts(t.Context(), alice.Seq))(t); len(list) != 0 {
			t.Errorf("listed: %+v", list)
		}
		_, err := s.SavedDraft(t.Context(), alice.Seq, "one")
		wantIs(t, err, notifier.ErrNotFound)
		wantIs(t, s.DeleteDraft(t.Context(), alice.Seq, "one"), notifier.ErrNotFound)
		wantIs(t, s.SaveDraft(t.Context(), notifier.SavedDraft{Author: alice.Seq, ID: "one"}), notifier.ErrConflict) // a save that was in progress
		if n := must(s.TrimDrafts(t.Context(), db.clock.now().Add(-time.Hour)))(t); n != 1 {
			t.Errorf("%d drafts trimmed; want the one that was sent", n)
		}
		must(s.SavedDraft(t.Context(), bob.Seq, "one"))(t)
	})
}

func TestDraftsAreBoundedInNumberAndAge(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice").Seq, addUser(t, s, "bob").Seq
		var wait sync.WaitGroup
		var refused atomic.Int64
		for i := range notifier.MaxSavedDrafts + 5 {
			wait.Go(func() {
				err := s.SaveDraft(t.Context(), notifier.SavedDraft{Author: alice, ID: strconv.Itoa(i)})
				if bad := (*notifier.InvalidError)(nil); errors.As(err, &bad) && bad.Fields[0].Code == notifier.CodeTooManyDrafts {
					refused.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		list := must(s.SavedDrafts(t.Context(), alice))(t)
		if len(list) != notifier.MaxSavedDrafts || refused.Load() != 5 {
			t.Fatalf("%d drafts, %d refused", len(list), refused.Load())
		}
		saveDraft(t, s, list[7]) // replaces a draft
		saveDraft(t, s, notifier.SavedDraft{Author: bob, ID: "1"})
		db.clock.move(time.Hour)
		saveDraft(t, s, list[7])
		if n := must(s.TrimDrafts(t.Context(), db.clock.now()))(t); n != notifier.MaxSavedDrafts {
			t.Errorf("%d drafts trimmed", n)
		}
		if left := must(s.SavedDrafts(t.Context(), alice))(t); len(left) != 1 || left[0].ID != list[7].ID {
			t.Errorf("left: %+v", left)
		}
	})
}

func TestDeletedDraftsAreBoundedInNumberAndAge(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice").Seq
		const more = 3
		for i := range notifier.MaxSavedDrafts + more {
			id := strconv.Itoa(i)
			saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: id})
			db.clock.move(time.Second)
			if err := s.DeleteDraft(t.Context(), alice, id); err != nil {
				t.Fatal(err)
			}
		}
		wantIs(t, s.RestoreDraft(t.Context(), alice, strconv.Itoa(more-1)), notifier.ErrNotFound)
		for i := range notifier.MaxSavedDrafts {
			saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "new " + strconv.Itoa(i)})
		}
		var bad *notifier.InvalidError
		if err := s.RestoreDraft(t.Context(), alice, strconv.Itoa(more)); !errors.As(err, &bad) || bad.Fields[0].Code != notifier.CodeTooManyDrafts {
			t.Errorf("restored above the limit: %v", err)
		}
		db.clock.move(notifier.KeepDeletedDrafts + time.Second)
		if n := must(s.TrimDrafts(t.Context(), time.Unix(0, 0)))(t); n != notifier.MaxSavedDrafts {
			t.Errorf("%d drafts trimmed; want those that were deleted", n)
		}
	})
}
