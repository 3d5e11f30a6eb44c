package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
)

// beforeOwners is a database before the ninth migration: users 1 alice, 2 bob, 3 `key shop`, 4 `key
// adm`, 5 `rule x`, 6 `form:1`, 7 `command line`, 8 `role picker`, 9 `deleted`. There is a key shop
// with number 5 and a rule y, but no key adm and no rule x.
var beforeOwners = []string{
	`INSERT INTO users (seq, name, name_fold, password_hash, audience, locale, created_at) VALUES
		(1, 'alice', 'alice', '', 3, '', 1), (2, 'bob', 'bob', '', 3, '', 1), (3, 'key shop', 'key shop', '', 3, '', 1),
		(4, 'key adm', 'key adm', '', 3, '', 1), (5, 'rule x', 'rule x', '', 3, '', 1), (6, 'form:1', 'form:1', '', 3, '', 1),
		(7, 'command line', 'command line', '', 3, '', 1), (8, 'role picker', 'role picker', '', 3, '', 1), (9, 'deleted', 'deleted', '', 3, '', 1)`,
	`INSERT INTO api_keys (id, name, hash, scopes, created_at) %sVALUES (5, 'shop', '5', 'send', 1), (6, 'shop', '6', 'send', 1)`,
	`INSERT INTO rule_runs (rule, started_at, ended_at, findings, sent, withdrawn, failures, error) VALUES ('y', 1, 1, 0, 0, 0, 0, '')`,
	`INSERT INTO roles (id, name, created_at) %sVALUES (1, 'picker', 1)`,
	`UPDATE sequences SET value = 9 WHERE name = 'user'`,
}

// owner is an old text and the owner that it represents.
type owner struct {
	said string
	is   notifier.Ref
}

func numbered(seq int64, name string) notifier.Ref {
	return notifier.UserRef(notifier.User{Seq: seq, Name: name})
}

func oldSenders() []owner {
	return []owner{
		{"alice", numbered(1, "alice")},
		{"key shop", notifier.KeyRef("shop")}, // this key exists
		{"key adm", numbered(4, "key adm")},   // this key does not exist
		{"key gone", notifier.KeyRef("gone")}, // nor does a user with this name
		{"Key shop", notifier.CommandRef("Key shop")},
		{"rule x", numbered(5, "rule x")},
		{"rule y", notifier.RuleRef("y")},
		{"rule gone", notifier.RuleRef("gone")},
		{"form:1", numbered(6, "form:1")},
		{"command line", notifier.CommandRef("command line")},
		{"carillon send", notifier.CommandRef("carillon send")},
		{"Somebody", notifier.CommandRef("Somebody")},
		{"", notifier.DeletedUser()},
	}
}

func insert(t *testing.T, exec func(string, ...any), into string, values ...any) {
	t.Helper()
	params := make([]string, len(values))
	for i := range values {
		params[i] = fmt.Sprintf("$%d", i+1)
	}
	exec(`INSERT INTO `+into+` VALUES (`+strings.Join(params, ", ")+`)`, values...)
}

// ofOldOwners returns a database from before owners had kinds.
func (db *database) ofOldOwners(t *testing.T) (exec func(string, ...any)) {
	t.Helper()
	raw := db.ofVersion(t, 8)
	exec = func(statement string, args ...any) {
		t.Helper()
		if _, err := raw.ExecContext(t.Context(), statement, args...); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	override := ""
	if db.cfg.URL != "" {
		override = "OVERRIDING SYSTEM VALUE "
	}
	for _, statement := range beforeOwners {
		if strings.Contains(statement, "%s") {
			statement = fmt.Sprintf(statement, override)
		}
		exec(statement)
	}
	return exec
}

func TestMigrationGivesSendersOfNoticesAKind(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		exec := db.ofOldOwners(t)
		for _, o := range oldSenders() {
			insert(t, exec, `notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender, search, recipients, recipient_count, reasons)`,
				"sent", 1, 9999999999999, `{"users":["bob"]}`, "like", "", "s:1", "A title", "b", "/l", false, o.said, "a title\n"+strings.ToLower(o.said), encoded(t, 2), 1, []byte(nil))
		}
		s := db.open(t)
		for i, o := range oldSenders() {
			n, to := notice(t, s, int64(i+1))
			if n.Sender != o.is {
				t.Errorf("%q is now %#v; want %#v", o.said, n.Sender, o.is)
			}
			if n.Title != "A title" || n.Body != "b" || n.Link != "/l" || !slices.Equal(to, []uint32{2}) {
				t.Errorf("notice %d is now %+v with recipients %v", n.ID, n, to)
			}
			if o.said != "" && !slices.Contains(ids(must(s.Notices(t.Context(), notifier.NoticeQuery{Contains: o.said, Limit: 100}))(t)), n.ID) {
				t.Errorf("a search for %q does not find its notice", o.said)
			}
		}
		deleteUser(t, s, "key shop")
		deleteUser(t, s, "key adm")
		if n := must(s.Notice(t.Context(), 2))(t); !n.Sender.Is(notifier.KeyRef("shop")) {
			t.Errorf("with the user `key shop` the key's notice is from %#v", n.Sender)
		}
		if n := must(s.Notice(t.Context(), 3))(t); n.Sender != notifier.DeletedUser() {
			t.Errorf("the notice of the deleted user `key adm` is from %#v", n.Sender)
		}
	})
}

func TestMigrationGivesActorsAndObjectsOfTheLogAKind(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		exec := db.ofOldOwners(t)
		alice, deleted := numbered(1, "alice"), notifier.Ref{Kind: notifier.KindUser, ID: "0", Name: "deleted"}
		all := []struct {
			actor, action, object, detail string
			want                          notifier.AuditEntry
		}{
			{"alice", "session.begin", "", "", notifier.AuditEntry{Actor: alice}},
			{"deleted", "session.begin", "", "", notifier.AuditEntry{Actor: deleted}},
			{"key shop", "user.edit", "bob", "audience user", notifier.AuditEntry{Actor: notifier.KeyRef("shop"), Object: numbered(2, "bob"), Detail: "audience user"}},
			{"key adm", "user.add", "form:1", "", notifier.AuditEntry{Actor: numbered(4, "key adm"), Object: numbered(6, "form:1")}},
			{"key gone", "user.delete", "user 12", "", notifier.AuditEntry{Actor: notifier.KeyRef("gone"), Object: notifier.Ref{Kind: notifier.KindUser, ID: "12"}}},
			{"command line", "user.passwd", "key shop", "", notifier.AuditEntry{Actor: notifier.CommandRef("command line"), Object: numbered(3, "key shop")}},
			{"command line", "user.role.add", "deleted", "staff", notifier.AuditEntry{Actor: notifier.CommandRef("command line"), Object: deleted, Detail: "staff"}},
			{"command line", "user.import", "/tmp/users.csv", "3 users", notifier.AuditEntry{Actor: notifier.CommandRef("command line"), Object: notifier.FileRef("/tmp/users.csv"), Detail: "3 users"}},
			{"command line", "key.add", "key 5", "shop send", notifier.AuditEntry{Actor: notifier.CommandRef("command line"), Object: notifier.KeyRef("shop"), Detail: "5 send"}},
			{"alice", "key.revoke", "key 6", "shop", notifier.AuditEntry{Actor: alice, Object: notifier.KeyRef("shop"), Detail: "6"}},
			{"alice", "notice.send", "notice 17", "", notifier.AuditEntry{Actor: alice, Object: notifier.NoticeRef(17)}},
			{"alice", "deadletter.replay", "dead letter 3", "", notifier.AuditEntry{Actor: alice, Object: notifier.DeadLetterRef(3)}},
			{"alice", "role.delete", "role night shift", "", notifier.AuditEntry{Actor: alice, Object: notifier.RoleRef("night shift")}},
			{"alice", "type.save", "type like", "", notifier.AuditEntry{Actor: alice, Object: notifier.TypeRef("like")}},
			{"alice", "rule.run", "rule y", "", notifier.AuditEntry{Actor: alice, Object: notifier.RuleRef("y")}},
			{"alice", "subscription.add", "role picker", "stock:1", notifier.AuditEntry{Actor: alice, Object: notifier.RoleRef("picker"), Detail: "stock:1"}},
			{"alice", "subscription.add", "rule x", "stock:1", notifier.AuditEntry{Actor: alice, Object: numbered(5, "rule x"), Detail: "stock:1"}},
		}
		for _, e := range all {
			insert(t, exec, `audit_log (at, actor, action, object, detail, address)`, 1, e.actor, e.action, e.object, e.detail, "192.0.2.1")
		}
		log := entries(t, db.open(t))
		slices.Reverse(log)
		for i, e := range all {
			want := e.want
			want.ID, want.At, want.Action, want.Address = int64(i+1), log[i].At, e.action, "192.0.2.1"
			if diff := cmp.Diff(want, log[i]); diff != "" {
				t.Errorf("%q %s %q (-want +got):\n%s", e.actor, e.action, e.object, diff)
			}
		}
	})
}

func TestMigratedIdempotencyKeysAreStillReplayed(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		exec := db.ofOldOwners(t)
		owners := []owner{
			{"form:1", numbered(1, "")}, {"key shop", notifier.KeyRef("shop")}, {"key adm", notifier.KeyRef("adm")}, {"rule x", notifier.RuleRef("x")},
		}
		for i, o := range owners {
			insert(t, exec, `idempotency_keys (owner, key, digest, notice_id, created_at)`, o.said, "k", []byte("digest"), i+1, 1)
		}
		s := db.open(t)
		deleteUser(t, s, "form:1") // user 6
		for i, o := range owners {
			a := onceFrom(o.is, "k")
			if acceptAll(t, s, a); !a.Replayed || a.Notice.ID != int64(i+1) {
				t.Errorf("the request of %q is notice %d, replayed %v; want %d", o.said, a.Notice.ID, a.Replayed, i+1)
			}
		}
	})
}

// TestMigrationHandlesManyRows has more rows than any statement handles at a time.
func TestMigrationHandlesManyRows(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		exec := db.ofOldOwners(t)
		const many = 20_000
		numbers := fmt.Sprintf(`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d)`, many)
		exec(`INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender)
			` + numbers + ` SELECT 'sent', 1, 2, '{}', 'news', '', '', 't', '', '', FALSE, CASE n % 2 WHEN 0 THEN 'key shop' ELSE 'alice' END FROM numbers`)
		s := db.open(t)
		sent := 0
		for _, err := range must(s.ExportUser(t.Context(), "alice"))(t).Sent {
			must(0, err)(t)
			sent++
		}
		if sent != many/2 {
			t.Errorf("alice has sent %d notices; want %d", sent, many/2)
		}
	})
}

// encoded returns the stored form of a set of users.
func encoded(t *testing.T, seqs ...uint32) []byte {
	t.Helper()
	return must(roaring.BitmapOf(seqs...).ToBytes())(t)
}
