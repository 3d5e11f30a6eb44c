package store_test

import (
	"testing"

	"github.com/carillonhq/carillon/notifier"
)

// TestGivenUpAddressesAndOddNamesSurviveTheMigration starts with the schema in which a rejected address was abandoned
// permanently, the address of a user without a setting was off permanently, and names could have blanks at the ends.
func TestGivenUpAddressesAndOddNamesSurviveTheMigration(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		old := db.ofVersion(t, 42)
		names := []string{" alice ", "bo\u200bb", "dave\u0301", "\ufeffeve"}
		for i, name := range names {
			_, err := old.ExecContext(t.Context(), `INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at, mail_when)
				VALUES ($1, $2, $2, 'h', 3, 'ja', 1, $3)`, i+1, name, []string{"", "off", "", "4h0m0s"}[i])
			if err != nil {
				t.Fatal(err)
			}
			_, err = old.ExecContext(t.Context(), `INSERT INTO targets (seq, kind, address, keys, token, state, wait, told, refusals, error, created_at, seen_at)
				VALUES ($1, 'mail', 'someone@example.com', '', $2, $3, 0, 0, 3, '554 5.7.1 Relay access denied', 1, 1)`, i+1, name, []string{"dead", "dead", "off", "dead"}[i])
			if err != nil {
				t.Fatal(err)
			}
		}
		s := db.open(t)
		var due []int64
		for _, d := range must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t) {
			due = append(due, d.Seq)
		}
		if len(due) != 2 || due[0] != 1 || due[1] != 4 {
			t.Errorf("the addresses of %v are tried again; want those of 1 and 4, as 2 wants no mail and nothing came for 3", due)
		}
		const late = 9_000_000_000_000
		save(t, s, notifier.Snapshot{Seq: 3, Ver: late, Unread: 1, Rows: []notifier.SnapshotRow{{Field: "like:1" + notifier.UnreadSuffix, NoticeID: 1, At: late}}})
		if again := must(s.DueTargets(t.Context(), notifier.ReachMail, 10))(t); len(again) != len(due) {
			t.Errorf("%d targets are due", len(again)) // the notice for 3 is in the future of this clock
		}
		if third := mailOf(t, s, 3); third.State != notifier.ReachOn || third.Told == 0 || third.DueAt.IsZero() {
			t.Errorf("who has not chosen does not follow the default: %+v", third)
		}
		for i, name := range names {
			u := must(s.UserByName(t.Context(), name))(t)
			if u.Seq != int64(i+1) {
				t.Errorf("%q is user %d", name, u.Seq)
			}
			if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: name, Locale: new("de")}); err != nil {
				t.Errorf("%q can no longer be changed: %v", name, err)
			}
			if _, _, err := s.BeginDeletion(t.Context(), name); err != nil {
				t.Errorf("%q cannot be deleted: %v", name, err)
			}
		}
		if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: " alice  "}); err == nil {
			t.Error("a new name may still end in a blank")
		}
	})
}
