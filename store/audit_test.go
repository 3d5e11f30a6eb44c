package store_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestTrimAuditDeletesTheOldestEntries(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		first := db.clock.now()
		store.Exec(t, s, `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4500)
			INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
			SELECT `+strconv.FormatInt(first.UnixMilli(), 10)+` + i, 'command', 'a', 'b', '', '', '', '' FROM n`)
		if n := must(s.TrimAudit(t.Context(), first.Add(time.Millisecond)))(t); n != 0 {
			t.Errorf("%d entries trimmed; want none: all are younger", n)
		}
		if n := must(s.TrimAudit(t.Context(), first.Add(4101*time.Millisecond)))(t); n != 4100 {
			t.Errorf("%d entries trimmed; want 4100", n)
		}
		left := must(s.AuditLog(t.Context(), 0, 500))(t)
		if len(left) != 400 || !left[399].At.Equal(first.Add(4101*time.Millisecond).Truncate(time.Millisecond)) {
			t.Errorf("%d entries are left", len(left))
		}
		if n := must(s.TrimAudit(t.Context(), first.Add(time.Hour)))(t); n != 400 {
			t.Errorf("%d entries trimmed; want the rest", n)
		}
	})
}

func TestTheLogOfAUserIsWhatWasDoneToThem(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		bob := must(s.CreateUser(t.Context(), notifier.NewUser{Name: "bob", Audience: 2}))(t)
		eve := must(s.CreateUser(t.Context(), notifier.NewUser{Name: "eve", Audience: 2}))(t)
		for _, e := range []notifier.AuditEntry{
			{Actor: notifier.UserRef(eve), Action: "user.add", Object: notifier.UserRef(bob)},
			{Actor: notifier.UserRef(bob), Action: "user.add", Object: notifier.UserRef(eve)},
			{Actor: notifier.UserRef(eve), Action: "role.delete", Object: notifier.Ref{Kind: notifier.KindRole, ID: notifier.UserRef(bob).ID}},
			{Actor: notifier.UserRef(eve), Action: "user.passwd", Object: notifier.UserRef(bob)},
			{Actor: notifier.UserRef(bob), Action: "session.end_all"},
		} {
			if err := s.Audit(t.Context(), e); err != nil {
				t.Fatal(err)
			}
		}
		log := must(s.UserLog(t.Context(), bob.Seq, 10))(t)
		if len(log) != 2 || log[0].Action != "user.passwd" || log[1].Action != "user.add" || log[0].Actor.Name != "eve" {
			t.Errorf("the log is %+v", log)
		}
		if last := must(s.UserLog(t.Context(), bob.Seq, 1))(t); len(last) != 1 || last[0].Action != "user.passwd" {
			t.Errorf("the last entry is %+v", last)
		}
	})
}
