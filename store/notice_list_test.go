package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

func TestSentNoticesAreFiltered(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		alice := addUser(t, s, "alice")
		change := func(with func(d *notifier.Draft)) notifier.Draft {
			d := draft()
			with(&d)
			return d
		}
		accept(t, s, draft())
		accept(t, s, change(func(d *notifier.Draft) { d.Type, d.Sender = "order.late", notifier.UserRef(alice) }))
		accept(t, s, change(func(d *notifier.Draft) { d.Target = notifier.Target{Role: "picker"} }))
		accept(t, s, change(func(d *notifier.Draft) { d.Target = notifier.Target{Topic: notifier.Topic{Type: "stock"}} }))
		accept(t, s, change(func(d *notifier.Draft) { d.Target = notifier.Target{Roles: []string{"picker", "packer"}} }))
		for _, opens := range []time.Duration{-2 * time.Hour, -time.Hour, time.Hour} { // closed, open, scheduled
			n := notifier.Notice{Draft: change(func(d *notifier.Draft) {
				d.Target = notifier.Target{Audiences: []notifier.Audience{2}}
				d.Window = notifier.Window{StartsAt: now.Add(opens), EndsAt: now.Add(opens + 90*time.Minute)}
			})}
			if err := s.Announce(t.Context(), &n); err != nil {
				t.Fatal(err)
			}
		}
		for id, state := range map[int]string{1: "sent", 2: "retracted", 3: "scheduled", 4: "sending", 5: "accepted"} {
			store.Exec(t, s, `UPDATE notices SET state = $1 WHERE id = $2`, state, id)
		}
		day := 24 * time.Hour
		for id, age := range map[int]time.Duration{1: 9 * day, 2: 8 * day, 3: 2 * day, 4: day} {
			store.Exec(t, s, `UPDATE notices SET created_at = $1 WHERE id = $2`, now.Add(-age).UnixMilli(), id)
		}
		for _, c := range []struct {
			name  string
			query notifier.NoticeQuery
			want  []int64
		}{
			{"type", notifier.NoticeQuery{Type: "order.late"}, []int64{2}},
			{"user", notifier.NoticeQuery{Sender: "alice"}, []int64{2}},
			{"command", notifier.NoticeQuery{Sender: "staff", Target: "user"}, []int64{1}},
			{"nobody", notifier.NoticeQuery{Sender: "nobody"}, []int64{}},
			{"to people", notifier.NoticeQuery{Target: "user"}, []int64{2, 1}},
			{"to roles", notifier.NoticeQuery{Target: "role"}, []int64{5, 3}},
			{"to a topic", notifier.NoticeQuery{Target: "topic"}, []int64{4}},
			{"announcements", notifier.NoticeQuery{Target: "audience"}, []int64{8, 7, 6}},
			{"of another kind", notifier.NoticeQuery{Target: "else"}, []int64{}},
			{"scheduled", notifier.NoticeQuery{State: "scheduled"}, []int64{8, 3}},
			{"sending", notifier.NoticeQuery{State: "sending"}, []int64{5, 4}},
			{"sent", notifier.NoticeQuery{State: "sent"}, []int64{1}},
			{"open", notifier.NoticeQuery{State: "open"}, []int64{7}},
			{"closed", notifier.NoticeQuery{State: "closed"}, []int64{6}},
			{"retracted", notifier.NoticeQuery{State: "retracted"}, []int64{2}},
			{"in another state", notifier.NoticeQuery{State: "else"}, []int64{}},
			{"by exactly a user", notifier.NoticeQuery{By: notifier.UserRef(alice)}, []int64{2}},
			{"by exactly a command", notifier.NoticeQuery{By: notifier.CommandRef("staff"), Target: "user"}, []int64{1}},
			{"by a key of that name", notifier.NoticeQuery{By: notifier.KeyRef("staff")}, []int64{}},
			{"by a rule with the number of a user", notifier.NoticeQuery{By: notifier.RuleRef(notifier.UserRef(alice).ID)}, []int64{}},
			{"since", notifier.NoticeQuery{Since: now.Add(-36 * time.Hour)}, []int64{8, 7, 6, 5, 4}},
			{"until", notifier.NoticeQuery{Until: now.Add(-36 * time.Hour)}, []int64{3, 2, 1}},
			{"in between, oldest first", notifier.NoticeQuery{Since: now.Add(-8*day - time.Hour), Until: now.Add(-2*day + time.Hour), Oldest: true}, []int64{2, 3}},
			{"together", notifier.NoticeQuery{State: "sent", Type: "like", Contains: "ünï", Until: now}, []int64{1}},
		} {
			if diff := cmp.Diff(c.want, ids(must(s.Notices(t.Context(), c.query))(t))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	})
}

// Announcement 8 is scheduled but was not sent for later, so its state is sent in answers; that of 9 is scheduled.
func TestNoticesAreFilteredByTheStateOfTheirAnswers(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		now := db.clock.now()
		states := []notifier.State{
			notifier.StateScheduled, notifier.StateAccepted, notifier.StateSending, notifier.StateSent, notifier.StateRetracting, notifier.StateRetracted,
		}
		for i, state := range states {
			accept(t, s, draft())
			store.Exec(t, s, `UPDATE notices SET state = $1, send_at = $2 WHERE id = $3`, string(state), 1, i+1)
		}
		for _, later := range []time.Time{{}, {}, now.Add(time.Hour), now.Add(time.Hour)} { // the first is open, the last is retracted
			d := draft()
			d.Target, d.SendAt = notifier.Target{Audiences: []notifier.Audience{2}}, later
			d.Window = notifier.Window{StartsAt: now.Add(time.Hour), EndsAt: now.Add(2 * time.Hour)}
			if err := s.Announce(t.Context(), &notifier.Notice{Draft: d}); err != nil {
				t.Fatal(err)
			}
		}
		store.Exec(t, s, `UPDATE announcements SET starts_at = 1 WHERE notice_id = 7`)
		store.Exec(t, s, `UPDATE notices SET state = 'retracted' WHERE id = 10`)
		got := map[notifier.State][]int64{}
		for _, state := range append(states, "else") {
			got[state] = ids(must(s.Notices(t.Context(), notifier.NoticeQuery{Stage: state}))(t))
		}
		want := map[notifier.State][]int64{"scheduled": {9, 1}, "accepted": {2}, "sending": {3}, "sent": {8, 7, 4}, "retracting": {5}, "retracted": {10, 6}, "else": {}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func TestAPageOfNoticesEndsWithItsNames(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		for range 3 {
			d := draft()
			d.Target = notifier.Target{Users: []string{"a", "b", "c"}}
			accept(t, s, d)
		}
		for most, want := range map[int][]int64{1: {3}, 3: {3}, 4: {3, 2}, 7: {3, 2, 1}, 0: {3, 2, 1}} {
			found, reached, err := s.SearchNotices(t.Context(), notifier.NoticeQuery{Names: most}, time.Hour)
			if diff := cmp.Diff(want, ids(found)); diff != "" || err != nil {
				t.Errorf("with %d names: %v (-want +got):\n%s", most, err, diff)
			}
			if end := want[len(want)-1]; most > 0 && reached.ID != end || most == 0 && reached.ID != 0 {
				t.Errorf("with %d names it ended at %d", most, reached.ID)
			}
		}
	})
}

// TestFiltersOfSentNoticesUseIndexes checks the plans for 5,000 notices. A page of the newest notices
// is read by the primary key, which is an index too.
func TestFiltersOfSentNoticesUseIndexes(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		alice := addUser(t, s, "alice")
		store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_kind, sender_id)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
			SELECT CASE WHEN n % 1000 = 0 THEN 'retracted' ELSE 'sent' END, CAST(3600000 AS BIGINT) * n, 9, '{}', 'type.' || n % 500, '', '', 'old', '', '', FALSE, 'user', CAST(n % 400 AS TEXT) FROM numbers`)
		raw, explain := db.raw(t), `EXPLAIN QUERY PLAN `
		if db.cfg.URL != "" {
			explain = `EXPLAIN `
		}
		if _, err := raw.ExecContext(t.Context(), `ANALYZE`); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			query notifier.NoticeQuery
			index string
		}{
			{notifier.NoticeQuery{Type: "type.7"}, "notices_type"},
			{notifier.NoticeQuery{Sender: alice.Name}, "notices_sender"},
			{notifier.NoticeQuery{By: notifier.UserRef(alice)}, "notices_sender"},
			{notifier.NoticeQuery{By: notifier.KeyRef("shop")}, "notices_other_sender"},
			{notifier.NoticeQuery{Sender: "shop"}, "notices_other_sender"},
			{notifier.NoticeQuery{Stage: notifier.StateSending}, "notices_unfinished"},
			{notifier.NoticeQuery{Stage: notifier.StateRetracted}, "notices_retracted"},
			{notifier.NoticeQuery{Stage: notifier.StateScheduled}, ""},
			{notifier.NoticeQuery{State: notifier.SentRetracted}, "notices_retracted"},
			{notifier.NoticeQuery{State: notifier.SentSending}, "notices_unfinished"},
			{notifier.NoticeQuery{State: notifier.SentScheduled}, ""},
			{notifier.NoticeQuery{State: notifier.SentOpen}, ""},
			{notifier.NoticeQuery{Target: "audience"}, ""},
			{notifier.NoticeQuery{Since: time.Unix(4900*3600, 0), Until: time.Unix(4950*3600, 0)}, ""},
		} {
			got := plan(t, raw, explain+filled(store.NoticesQuery(t, s, c.query)))
			whole := strings.Contains(got, "Seq Scan on notices") || strings.Contains(got, "SCAN notices\n") || strings.HasSuffix(got, "SCAN notices")
			if whole || !strings.Contains(got, c.index) {
				t.Errorf("%+v is run as\n%s\nwant %s", c.query, got, c.index)
			}
		}
	})
}
