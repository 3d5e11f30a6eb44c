package store_test

import (
	"database/sql"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// sent describes a notice for a test: the sending user, or else command, the names in the target,
// and the recipients.
type sent struct {
	from string
	to   notifier.Target
	seqs []uint32 // nil: not resolved
}

func (n sent) accept(t *testing.T, s *store.Store) int64 {
	t.Helper()
	from := notifier.CommandRef(n.from)
	if u, err := s.UserByName(t.Context(), n.from); err == nil {
		from = notifier.UserRef(u)
	}
	a := &notifier.Acceptance{Notice: &notifier.Notice{Draft: notifier.Draft{
		Target: n.to, Type: "news", Title: "A title", Sender: from,
	}}}
	if n.seqs != nil {
		a.To = roaring.BitmapOf(n.seqs...)
	}
	if err := s.AcceptAll(t.Context(), notifier.Deed{}, []*notifier.Acceptance{a}); err != nil || a.Err != nil {
		t.Fatalf("accept: %v, %v", err, a.Err)
	}
	return a.Notice.ID
}

func toUsers(names ...string) notifier.Target { return notifier.Target{Users: names} }

func deleteUser(t *testing.T, s *store.Store, name string) notifier.Deletion {
	t.Helper()
	u, err := s.DeleteUser(t.Context(), name)
	if err != nil {
		t.Fatalf("delete user %q: %v", name, err)
	}
	return u
}

// notice reads a notice and its recipients, if they are resolved.
func notice(t *testing.T, s *store.Store, id int64) (n notifier.Notice, seqs []uint32) {
	t.Helper()
	n = must(s.Notice(t.Context(), id))(t)
	if n.Routed {
		seqs = must(s.Recipients(t.Context(), id))(t).ToArray()
	}
	if n.Recipients != int64(len(seqs)) {
		t.Errorf("notice %d has the recipient count %d and the recipients %v", id, n.Recipients, seqs)
	}
	return n, seqs
}

// wantNoWord checks that a word appears nowhere in the database.
func (db *database) wantNoWord(t *testing.T, word string) {
	t.Helper()
	for name, rows := range db.contents(t, db.raw(t)) {
		for line := range strings.Lines(rows) {
			if strings.Contains(strings.ToLower(line), word) {
				t.Errorf("table %s contains %s", name, line)
			}
		}
	}
}

// dump returns the rows of a query, one per line.
func dump(t *testing.T, raw *sql.DB, query string) string {
	t.Helper()
	rows, err := raw.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	columns := must(rows.Columns())(t)
	var lines strings.Builder
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(sql.NullString)
		}
		if err := rows.Scan(line...); err != nil {
			t.Fatal(err)
		}
		for _, v := range line {
			if s, ok := v.(*sql.NullString); ok {
				lines.WriteString(s.String + " | ")
			}
		}
		lines.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines.String()
}

func TestDeletedUserIsNowhereInTheDatabase(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice, bob := addUser(t, s, "Alice <\"é\">", "staff"), addUser(t, s, "bob", "staff")
		if err := s.CreateSession(t.Context(), "x", notifier.Signed{User: alice}, db.clock.now()); err != nil {
			t.Fatal(err)
		}
		if err := s.SetMute(t.Context(), alice.Seq, "like", true); err != nil {
			t.Fatal(err)
		}
		address := "alice@example.com"
		if _, _, err := s.PutUser(t.Context(), notifier.PutUser{Name: alice.Name, Email: &address}); err != nil {
			t.Fatal(err)
		}
		register(t, s, alice.Seq, "", "https://push.example/alice")
		choices := notifier.PutPreferences{Types: map[string]notifier.TypeWants{"of_alice": {Inbox: new(bool), Push: new(bool), Mail: new(bool)}}}
		if err := s.PutPreferences(t.Context(), alice.Seq, choices); err != nil {
			t.Fatal(err)
		}
		reachable(t, s, bob)
		save(t, s, snapshot(alice.Seq, 5, 3), snapshot(bob.Seq, 5, 3))
		for _, n := range []sent{
			{"bob", toUsers(alice.Name), []uint32{1}},
			{"bob", toUsers(alice.Name), []uint32{}}, // alice had muted it
			{"bob", toUsers(alice.Name), nil},
			{"bob", toUsers("bob", alice.Name), []uint32{1, 2}},
			{"bob", toUsers(alice.Name, "bob"), nil},
			{"bob", notifier.Target{Role: "staff"}, []uint32{1, 2}},
			{alice.Name, toUsers("bob"), []uint32{2}},
		} {
			n.accept(t, s)
		}
		announcement := db.announcement("a", 0, 1, 3)
		announcement.Sender = notifier.UserRef(alice)
		announce(t, s, announcement)
		once := func(owner notifier.User, key string) *notifier.Acceptance {
			return &notifier.Acceptance{
				Notice: &notifier.Notice{Draft: notifier.Draft{Target: toUsers("bob")}}, To: roaring.BitmapOf(2),
				Once: &notifier.Once{Owner: notifier.UserRef(owner), Key: key, Digest: []byte("d")},
			}
		}
		acceptAll(t, s, once(alice, "of alice"), once(bob, "of another"))
		for _, e := range []notifier.AuditEntry{
			{Actor: notifier.UserRef(alice), Action: "session.begin", Address: "203.0.113.9"},
			{Actor: notifier.CommandRef("command line"), Action: "user.add", Object: notifier.UserNamed(alice.Name)},
			{Actor: notifier.UserRef(bob), Action: "notice.send", Object: notifier.NoticeRef(1), Address: "203.0.113.8"},
		} {
			if err := s.Audit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		u := deleteUser(t, s, alice.Name)
		if u.Seq != alice.Seq || u.Name != alice.Name {
			t.Errorf("deleted user is %+v", u)
		}
		db.wantNoWord(t, "alice")
		db.wantNoWord(t, "203.0.113.9")
		repeated := once(bob, "of another")
		if acceptAll(t, s, repeated); !repeated.Replayed {
			t.Error("another user's key of the form is gone")
		}
		_, err := s.UserByName(t.Context(), alice.Name)
		wantIs(t, err, notifier.ErrNotFound)
		_, err = s.DeleteUser(t.Context(), alice.Name)
		wantIs(t, err, notifier.ErrNotFound)
		wantSnapshots(t, s, []int64{1, 2}, snapshot(2, 5, 3))
		if members := must(s.RoleMembers(t.Context(), "staff"))(t); members.Contains(1) || !members.Contains(2) {
			t.Errorf("the members of staff are %v", members)
		}
		log := must(s.AuditLog(t.Context(), 0, 10))(t)
		var told []string
		for _, e := range log {
			told = append(told, e.Actor.String()+"|"+e.Object.String()+"|"+e.Address)
		}
		if want := []string{"bob|notice 1|203.0.113.8", "command line|deleted|", "deleted||"}; !slices.Equal(told, want) {
			t.Errorf("the log has %q; want %q", told, want)
		}
	})
}

func TestReadsOfADeletedUserAreRemoved(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		addUsers(t, s, 40_001) // the last user is bit 7,233 of the second segment: the second highest of byte 904
		name, place := "u40001", (40_001-32_768)/8
		a, b := announce(t, s, db.announcement("a", 0, 1, 3)), announce(t, s, db.announcement("b", 0, 1, 3))
		bits := func(at byte) string { return strings.Repeat("\xaa", place) + string([]byte{at, 0xff}) }
		first := segment(a.ID, 3, 0, 4, bits('\xff'))
		saveReads(t, s, first, segment(a.ID, 3, 1, 5, bits('\xff')), segment(b.ID, 3, 1, 6, "\xff"))
		deleteUser(t, s, name)
		wantReads(t, s, first, segment(a.ID, 3, 1, 5, bits('\xbf')))
		wantReads(t, s, segment(b.ID, 3, 1, 6, "\xff"))
	})
}
