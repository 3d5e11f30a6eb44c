package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/carillonhq/carillon/store"
)

func wantDeleted(t *testing.T, s *store.Store, since time.Time, after int64, limit int, want ...int64) {
	t.Helper()
	if got := must(s.DeletedSince(t.Context(), since, after, limit))(t); !slices.Equal(got, want) {
		t.Errorf("deleted since %v, after %d: %v, want %v", since, after, got, want)
	}
}

func TestDeletedSinceReturnsTheNumbersOfDeletedUsers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, name := range []string{"a", "b", "c", "d"} {
			addUser(t, s, name)
		}
		first := db.clock.now()
		wantDeleted(t, s, time.Time{}, 0, 10)
		deleteUser(t, s, "c")
		db.clock.move(time.Minute)
		second := db.clock.now()
		deleteUser(t, s, "d")
		deleteUser(t, s, "a")
		wantDeleted(t, s, time.Time{}, 0, 10, 1, 3, 4)
		wantDeleted(t, s, first, 0, 10, 1, 3, 4)
		wantDeleted(t, s, first.Add(time.Millisecond), 0, 10, 1, 4)
		wantDeleted(t, s, second, 0, 10, 1, 4)
		wantDeleted(t, s, second.Add(time.Millisecond), 0, 10)
		wantDeleted(t, s, time.Time{}, 0, 2, 1, 3)
		wantDeleted(t, s, time.Time{}, 3, 2, 4)
	})
}

// A user must not lose their inbox because a deleted user once had the same number.
func TestNumberInUseIsNotReportedAsDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 2)
		store.Exec(t, s, `INSERT INTO deleted_users (seq, deleted_at) VALUES (2, 1), (3, 1)`)
		wantDeleted(t, s, time.Time{}, 0, 10, 3)
	})
}

// A failed deletion neither deletes the account nor records it as deleted.
func TestAccountIsDeletedTogetherWithItsRecord(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		u := addUser(t, s, "alice")
		store.Exec(t, s, `ALTER TABLE deleted_users RENAME TO elsewhere`)
		if _, err := s.DeleteUser(t.Context(), "alice"); err == nil {
			t.Error("the account is deleted without a record of it")
		}
		if got := must(s.UserByName(t.Context(), "alice"))(t); got.Seq != u.Seq {
			t.Errorf("the account is %+v", got)
		}
		store.Exec(t, s, `ALTER TABLE elsewhere RENAME TO deleted_users`)
		deleteUser(t, s, "alice")
		wantDeleted(t, s, time.Time{}, 0, 10, u.Seq)
	})
}
