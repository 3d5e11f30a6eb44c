package store_test

import (
	"context"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestExportContainsAllDataOfTheUserAndNoOther(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		at := db.clock.now()
		alice, bob := addUser(t, s, "alice", "staff", "picker"), addUser(t, s, "bob")
		subscribe(t, s, byRole("of_pickers", "1", "picker"))
		for i, u := range []notifier.User{alice, bob} {
			if err := s.CreateSession(t.Context(), strconv.Itoa(i), notifier.Signed{User: u, Agent: "Browser of " + u.Name}, at.Add(time.Duration(i)*time.Second)); err != nil {
				t.Fatal(err)
			}
			must(s.SetZone(t.Context(), u.Seq, []string{"Asia/Taipei", "Asia/Seoul"}[i]))(t)
			if err := s.SetMute(t.Context(), u.Seq, "of_"+u.Name, true); err != nil {
				t.Fatal(err)
			}
			subscribe(t, s, byUser("of_"+u.Name, "1", u.Name), byUser("of_"+u.Name, "", u.Name))
			if _, err := s.SetSettings(t.Context(), u.Seq, notifier.PutSettings{Theme: new([]string{"dark", "light"}[i])}); err != nil {
				t.Fatal(err)
			}
			sent{u.Name, toUsers("carol"), []uint32{9}}.accept(t, s)
			if err := s.Audit(t.Context(), notifier.AuditEntry{Actor: notifier.UserRef(u), Action: "x"}); err != nil {
				t.Fatal(err)
			}
		}
		for _, u := range []notifier.User{alice, bob} {
			saveDraft(t, s, notifier.SavedDraft{Author: u.Seq, ID: "d", Form: "title=Of+" + u.Name})
			reachable(t, s, u)
		}
		content := notifier.Notice{Draft: draft(), Reasons: []notifier.Why{because("role:picker", 1)}}
		acceptAll(t, s, &notifier.Acceptance{Notice: &content, To: roaring.BitmapOf(1, 2)})
		save(t, s, notifier.Snapshot{Seq: alice.Seq, Ver: 9, Unread: 1, Opened: at.UnixMilli(), Rows: []notifier.SnapshotRow{
			{Field: "like:photo:1" + notifier.UnreadSuffix, NoticeID: content.ID}, {Field: "like:gone" + notifier.ReadSuffix, NoticeID: 999},
		}, Archived: []notifier.ArchivedRow{{Key: "like:photo:2", NoticeID: content.ID, At: 1, ArchivedAt: 2}, {Key: "like:photo:3", NoticeID: 998, At: 1, ArchivedAt: 3, Snoozed: true}}}, snapshot(bob.Seq, 9, 3))
		read, unread := announce(t, s, db.announcement("seen", 0, 1, 3)), announce(t, s, db.announcement("not seen", 0, 1, 3))
		saveReads(t, s, segment(read.ID, 3, 0, 1, "\x40"), segment(unread.ID, 3, 0, 1, "\x20")) // user 1, user 2

		acted := []int64{actedBy(t, s, "alice", notifier.StateAccepted), actedBy(t, s, "bob", notifier.StateAccepted)}

		e := must(s.ExportUser(t.Context(), "alice"))(t)
		var actions []string
		for a, err := range e.Log {
			actions = append(actions, must(a, err)(t).Actor.String()+" "+a.Action)
		}
		var notices []int64
		for n, err := range e.Sent {
			notices = append(notices, must(n, err)(t).ID)
		}
		if !slices.Equal(actions, []string{"alice x"}) || !slices.Equal(notices, []int64{1}) {
			t.Errorf("the log has %q, the sent notices are %v", actions, notices)
		}
		for n, err := range e.Acted {
			if id := must(n, err)(t).ID; id != acted[0] {
				t.Errorf("alice is the actor of notice %d; want %v", id, acted[:1])
			}
			acted[1] = 0
		}
		if acted[1] != 0 {
			t.Error("the notice about alice is missing")
		}
		e.Log, e.Sent, e.Acted, e.Events = nil, nil, nil, nil
		shown := content.ContentFor(alice.Seq)
		want := notifier.Export{
			User: notifier.User{
				Seq: 1, Name: "alice", Audience: 3, Zones: notifier.Zones{Chosen: "Asia/Tokyo", Seen: "Asia/Taipei", SeenAt: at.UnixMilli()}, Settings: notifier.Settings{Theme: "dark", KeysOff: false}, Roles: []string{"picker", "staff"},
			},
			CreatedAt:     at,
			Muted:         []string{"of_alice"},
			Subscriptions: []notifier.Topic{topic("of_alice", ""), topic("of_alice", "1")},
			Sessions:      []notifier.ExportedSession{{Agent: "Browser of alice", CreatedAt: at, SeenAt: at}},
			Inbox: notifier.ExportedInbox{
				Unread: 1, OpenedAt: at, Entries: []notifier.ExportedEntry{
					{Key: "like:photo:1", ID: content.ID, Content: &shown}, {Key: "like:gone", Read: true, ID: 999},
				}, Archived: []notifier.ExportedEntry{{Key: "like:photo:2", Read: true, ID: content.ID, Content: &shown}},
				Later: []notifier.ExportedEntry{{Key: "like:photo:3", Read: true, ID: 998, Until: time.UnixMilli(3).UTC()}},
			},
			Announcements: []notifier.ExportedRead{{ID: read.ID, Title: "seen"}},
			Drafts:        []notifier.ExportedDraft{{Form: url.Values{"title": {"Of alice"}}, ChangedAt: at}},
			Preferences: notifier.Preferences{
				MailAt: notifier.DefaultMailAt, Quiet: &notifier.Quiet{From: 60, To: 120}, Zone: "Asia/Tokyo", InForce: "Asia/Tokyo", ZoneFrom: notifier.ZoneChosen,
				Types: map[string]notifier.TypeWants{"of_alice": {Inbox: new(bool), Push: new(bool), Mail: new(bool)}},
			},
			Targets: e.Targets,
		}
		var targets []string
		for _, target := range e.Targets {
			targets = append(targets, string(target.Kind)+" "+target.Address)
		}
		if slices.Sort(targets); !slices.Equal(targets, []string{"mail alice@example.com", "push https://push.example/alice"}) {
			t.Errorf("the targets are %q", targets)
		}
		if diff := cmp.Diff(want, e); diff != "" {
			t.Errorf("export (-want +got):\n%s", diff)
		}
		_, err := s.ExportUser(t.Context(), "carol")
		wantIs(t, err, notifier.ErrNotFound)
		store.Exec(t, s, `UPDATE inbox_snapshots SET gone = entries WHERE seq = 1`)
		if e := must(s.ExportUser(t.Context(), "alice"))(t); !e.Inbox.Damaged {
			t.Errorf("a damaged inbox is exported as %+v", e.Inbox)
		}
	})
}

func TestExportIsCompleteHoweverLarge(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := notifier.UserRef(addUser(t, s, "alice"))
		bob := notifier.UserRef(addUser(t, s, "bob"))
		all := make([]*notifier.Acceptance, 1203)
		for i := range all {
			sender := []notifier.Ref{alice, bob, alice}[i%3]
			all[i] = &notifier.Acceptance{
				Notice: &notifier.Notice{Draft: notifier.Draft{Target: toUsers("bob"), Type: "news", Title: "t", Sender: sender}}, To: roaring.BitmapOf(2),
			}
		}
		if err := s.AcceptAll(t.Context(), notifier.Deed{}, all); err != nil {
			t.Fatal(err)
		}
		store.Exec(t, s, `INSERT INTO audit_log (at, actor_kind, actor_id, action, object_kind, object_id, detail, address)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1500)
			SELECT n, 'user', CASE WHEN n % 2 = 0 THEN '1' ELSE '2' END, 'x', CASE WHEN n % 3 = 0 THEN 'user' ELSE 'key' END, '1', '', '' FROM numbers`)
		e := must(s.ExportUser(t.Context(), "alice"))(t)
		var text strings.Builder
		if err := e.Encode(&text); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Sent []struct{ ID int64 }
			Log  []struct{ At time.Time }
		}
		if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Sent) != 802 || len(got.Log) != 1000 || got.Sent[801].ID != 1203 || got.Log[999].At.UnixMilli() != 1500 {
			t.Errorf("%d notices and %d log entries", len(got.Sent), len(got.Log))
		}
		ctx, cancel := context.WithCancel(t.Context())
		e = must(s.ExportUser(ctx, "alice"))(t)
		cancel()
		wantIs(t, e.Encode(&text), context.Canceled)
	})
}
