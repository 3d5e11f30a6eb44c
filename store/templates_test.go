package store_test

import (
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func saveTemplate(t *testing.T, s *store.Store, d notifier.SavedDraft) {
	t.Helper()
	if err := s.SaveTemplate(t.Context(), d); err != nil {
		t.Fatalf("save template %q: %v", d.Name, err)
	}
}

func TestATemplateBelongsToAllStaffUntilItIsDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "alice").Seq, addUser(t, s, "bob").Seq
		saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "draft", Title: "A draft"})
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "one", Name: "Late order", Title: "Order", Form: "title=Order"})
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "two", Name: "Stocktaking"})
		db.clock.move(notifier.KeepDrafts + time.Hour)
		saveTemplate(t, s, notifier.SavedDraft{Author: bob, ID: "three", Name: "Late order", Title: "Your order", Form: "title=Your+order"})

		late := notifier.SavedDraft{Author: bob, ID: "one", Name: "Late order", Title: "Your order", ChangedAt: db.clock.now()}
		if list := must(s.Templates(t.Context()))(t); len(list) != 2 || cmp.Diff(late, list[0]) != "" || list[1].Name != "Stocktaking" {
			t.Errorf("the templates: %+v", list)
		}
		late.Form = "title=Your+order"
		for _, user := range []int64{alice, bob} {
			if diff := cmp.Diff(late, must(s.SavedDraft(t.Context(), user, "one"))(t)); diff != "" {
				t.Error(diff)
			}
		}
		wantIs(t, s.SaveDraft(t.Context(), notifier.SavedDraft{Author: bob, ID: "one", Title: "A draft"}), notifier.ErrConflict)
		if list := must(s.SavedDrafts(t.Context(), bob))(t); len(list) != 0 {
			t.Errorf("templates among the drafts: %+v", list)
		}
		if n := must(s.TrimDrafts(t.Context(), db.clock.now().Add(-notifier.KeepDrafts)))(t); n != 1 {
			t.Errorf("%d rows trimmed; want the draft alone", n)
		}

		// Any member of staff can delete it, and restore it while its name is free.
		for range 2 {
			if err := s.DeleteDraft(t.Context(), alice, "one"); err != nil {
				t.Fatal(err)
			}
			wantIs(t, s.DeleteDraft(t.Context(), alice, "one"), notifier.ErrNotFound)
			if err := s.RestoreDraft(t.Context(), alice, "one"); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.DeleteDraft(t.Context(), alice, "one"); err != nil {
			t.Fatal(err)
		}
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "four", Name: "Late order"})
		wantIs(t, s.RestoreDraft(t.Context(), alice, "one"), notifier.ErrConflict)
	})
}

func TestATemplateOutlivesTheAccountThatSavedIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUser(t, s, "carol")
		alice, bob := addUser(t, s, "alice", notifier.RoleStaff).Seq, addUser(t, s, "bob", notifier.RoleStaff).Seq
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "one", Name: "Late order", Title: "Order"})
		saveDraft(t, s, notifier.SavedDraft{Author: alice, ID: "draft", Title: "A draft"})
		must(remove(t, s, "alice"))(t)
		if list := must(s.Templates(t.Context()))(t); len(list) != 1 || list[0].Author != bob || list[0].Title != "Order" {
			t.Errorf("the templates after a deletion: %+v", list)
		}
		if list := must(s.SavedDrafts(t.Context(), bob))(t); len(list) != 0 {
			t.Errorf("drafts of the deleted user: %+v", list)
		}
		must(remove(t, s, "bob"))(t) // no other staff remain
		if list := must(s.Templates(t.Context()))(t); len(list) != 0 {
			t.Errorf("the templates without staff: %+v", list)
		}
	})
}

func remove(t *testing.T, s *store.Store, name string) (begun bool, err error) {
	t.Helper()
	_, begun, err = s.BeginDeletion(t.Context(), name)
	return begun, err
}

func TestTemplatesAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice").Seq
		for i := range notifier.MaxTemplates {
			saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: strconv.Itoa(i), Name: "template " + strconv.Itoa(i)})
		}
		refused := func(err error) {
			t.Helper()
			var bad *notifier.InvalidError
			if !errors.As(err, &bad) || bad.Fields[0].Field != "template_name" || bad.Fields[0].Code != notifier.CodeTooManyTemplates {
				t.Errorf("one template too many: %v", err)
			}
		}
		refused(s.SaveTemplate(t.Context(), notifier.SavedDraft{Author: alice, ID: "more", Name: "more"}))
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "again", Name: "template 7", Title: "changed"}) // replaces a template
		if err := s.DeleteDraft(t.Context(), alice, "3"); err != nil {
			t.Fatal(err)
		}
		saveTemplate(t, s, notifier.SavedDraft{Author: alice, ID: "more", Name: "more"})
		refused(s.RestoreDraft(t.Context(), alice, "3"))
	})
}
