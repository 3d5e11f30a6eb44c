package store_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestOnlyNoticesForTheDeletedUserAloneAreDeleted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for _, name := range []string{"alice", "bob", "carol"} {
			addUser(t, s, name)
		}
		id := func(n sent) int64 { return n.accept(t, s) }
		alone := []int64{
			id(sent{"bob", toUsers("alice"), []uint32{1}}),
			id(sent{"bob", notifier.Target{Role: "staff"}, []uint32{1}}),
			id(sent{"alice", toUsers("alice", "bob"), []uint32{1}}), // bob had muted it
			id(sent{"bob", toUsers("alice"), nil}),
			id(sent{"bob", toUsers("alice"), []uint32{}}), // alice had muted it
		}
		both := id(sent{"bob", toUsers("alice", "bob"), []uint32{1, 2}})
		role := id(sent{"bob", notifier.Target{Role: "alice"}, []uint32{1, 2, 3}})
		his := id(sent{"alice", toUsers("bob"), []uint32{2}})
		nobody := id(sent{"alice", notifier.Target{Role: "none"}, []uint32{}})
		others := id(sent{"carol", toUsers("carol"), []uint32{3}})
		for _, of := range []int64{alone[0], both, 0} {
			if _, err := s.Bury(t.Context(), 0, 0, notifier.DeadLetter{NoticeID: of, Entry: "{}"}); err != nil {
				t.Fatal(err)
			}
		}
		saveCounts(t, s, notifier.NoticeCount{NoticeID: alone[1], Partition: 1, Delivered: 1}, notifier.NoticeCount{NoticeID: role, Partition: 1, Delivered: 3})
		deleteUser(t, s, "alice")
		for _, id := range alone {
			_, err := s.Notice(t.Context(), id)
			wantIs(t, err, notifier.ErrNotFound)
		}
		for _, want := range []struct {
			id   int64
			from string
			to   notifier.Target
			seqs []uint32
		}{
			{both, "bob", toUsers("bob"), []uint32{2}},
			{role, "bob", notifier.Target{Role: "alice"}, []uint32{2, 3}},
			{his, "", toUsers("bob"), []uint32{2}},
			{nobody, "", notifier.Target{Role: "none"}, []uint32{}},
			{others, "carol", toUsers("carol"), []uint32{3}},
		} {
			n, seqs := notice(t, s, want.id)
			if n.Sender.String() != want.from || cmp.Diff(want.to, n.Target) != "" || !slices.Equal(seqs, want.seqs) {
				t.Errorf("notice %d: sender %q, target %+v, recipients %v; want %+v", want.id, n.Sender, n.Target, seqs, want)
			}
		}
		if found := must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: "alice"}))(t); len(found) != 0 {
			t.Errorf("a search finds %+v", found)
		}
		letters := must(s.DeadLetters(t.Context(), 0, 9))(t)
		if len(letters) != 2 || letters[0].NoticeID != 0 || letters[1].NoticeID != both {
			t.Errorf("dead letters are %+v", letters)
		}
		wantCounts(t, s, 1, notifier.NoticeCount{NoticeID: role, Partition: 1, Delivered: 3})
	})
}

// TestAllTracesOfADeletedUserAreRemovedHoweverMany has more traces than one page, and adds the last ones while the
// account is being deleted.
func TestAllTracesOfADeletedUserAreRemovedHoweverMany(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice")
		addUser(t, s, "bob")
		all := make([]*notifier.Acceptance, 4500)
		for i := range all {
			all[i] = &notifier.Acceptance{
				Notice: &notifier.Notice{Draft: notifier.Draft{Target: toUsers("alice", "bob"), Type: "news", Title: "t"}}, To: roaring.BitmapOf(1, 2),
			}
			if i%2 == 0 {
				all[i].Notice.Sender, all[i].Notice.Target, all[i].To = notifier.UserRef(alice), toUsers("bob"), roaring.BitmapOf(2)
			}
		}
		if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil {
			t.Fatal(err)
		}
		store.Exec(t, s, `INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 4500)
			SELECT n, 'user', '1', 'x', 'user', CASE WHEN n % 2 = 0 THEN '1' ELSE '2' END, '', 'alice at home' FROM numbers`)
		db.whenAUserGoes(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id, search)
			VALUES ('sent', 1, 2, '{"users":["alice","bob"]}', 'news', '', '', 't', '', '', FALSE, 'user', '1', 'alice')`,
			`INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
				VALUES (1, 'user', '1', 'session.end', '', '', '', 'alice at work')`)
		deleteUser(t, s, "alice")
		db.wantNoWord(t, "alice")
		if n := must(s.Notices(t.Context(), notifier.NoticeQuery{Limit: 9000}))(t); len(n) != 4501 {
			t.Errorf("%d notices are left; want 4501", len(n))
		}
	})
}

// whenAUserGoes adds a trigger that runs statements when an account is deleted.
func (db *database) whenAUserGoes(t *testing.T, s *store.Store, statements ...string) {
	t.Helper()
	body := strings.Join(statements, ";\n") + ";"
	if db.cfg.URL == "" {
		store.Exec(t, s, `CREATE TRIGGER going AFTER DELETE ON users BEGIN `+body+` END`)
		return
	}
	store.Exec(t, s, `CREATE FUNCTION going() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN `+body+` RETURN NULL; END $$`)
	store.Exec(t, s, `CREATE TRIGGER going AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION going()`)
}

func TestFailedDeletionCanBeRepeated(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice", "staff")
		if err := s.CreateSession(t.Context(), "x", notifier.Signed{User: alice}, db.clock.now()); err != nil {
			t.Fatal(err)
		}
		alone := sent{"bob", toUsers("alice"), []uint32{1}}.accept(t, s)
		db.whenAUserGoes(t, s, `INSERT INTO no_such_table (x) VALUES (1)`)
		if _, err := s.DeleteUser(t.Context(), "alice"); err == nil {
			t.Fatal("the deletion did not fail")
		}
		u, hash, err := s.Credentials(t.Context(), "alice")
		if err != nil || hash == "" || !u.HasRole("staff") || len(must(s.Deletions(t.Context(), 1))(t)) != 0 {
			t.Errorf("a failed deletion changed the user: %+v with password %q, %v", u, hash, err)
		}
		on := ""
		if db.cfg.URL != "" {
			on = " ON users"
		}
		store.Exec(t, s, `DROP TRIGGER going`+on)
		deleteUser(t, s, "alice")
		db.wantNoWord(t, "alice")
		_, err = s.Notice(t.Context(), alone)
		wantIs(t, err, notifier.ErrNotFound)
	})
}

func TestManyUsersCanBeDeletedConcurrently(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		const users, notices = 12, 40
		stores := []*store.Store{db.open(t), db.open(t)}
		addUsers(t, stores[0], users)
		var names []string
		var seqs []uint32
		for seq := range uint32(users) {
			names, seqs = append(names, fmt.Sprint("u", seq+1)), append(seqs, seq+1)
		}
		for range notices {
			sent{"u12", toUsers(names...), seqs}.accept(t, stores[0])
		}
		var wg sync.WaitGroup
		for i := range users - 2 {
			wg.Go(func() {
				if _, err := stores[i%2].DeleteUser(t.Context(), names[i]); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		for id := range int64(notices) {
			n, seqs := notice(t, stores[0], id+1)
			if !slices.Equal(seqs, []uint32{11, 12}) || !slices.Equal(n.Target.Users, []string{"u11", "u12"}) || n.Sender.Name != "u12" {
				t.Fatalf("notice %d: recipients %v, names %v, sender %s", id+1, seqs, n.Target.Users, n.Sender)
			}
		}
	})
}
