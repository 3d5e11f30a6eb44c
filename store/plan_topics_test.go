package store_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/carillonhq/carillon/notifier"
	"github.com/carillonhq/carillon/store"
)

// TestQueriesForTopicsDoNotScanAllSubscriptions checks the plans of a database with table
// statistics and of one without.
func TestQueriesForTopicsDoNotScanAllSubscriptions(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		warehouses(t, s, 1000)
		raw, explain, explains := db.raw(t), `EXPLAIN QUERY PLAN `, 1
		if db.cfg.URL != "" {
			explain, explains = `EXPLAIN `, 2
		}
		list := func(q notifier.SubscriptionQuery) string { return filled(store.SubscriptionsQuery(q)) }
		for range explains {
			for _, c := range []struct{ statement, index string }{
				{filled(store.SubscribersQuery(s), []any{`[["stock","w20"],["stock","w40"]]`}), "subscriptions_"},
				{filled(store.AllSubscribersQuery(s), []any{"stock", "w1", 100}), "subscriptions_topic"},
				{list(notifier.SubscriptionQuery{Before: 9000}), ""},
				{list(notifier.SubscriptionQuery{Type: "rare"}), "subscriptions_type"},
				{list(notifier.SubscriptionQuery{Type: "stock", Before: 9000}), "subscriptions_"},
				{list(notifier.SubscriptionQuery{Type: "stock", Scope: "w20", ByScope: true}), "subscriptions_topic"},
				{list(notifier.SubscriptionQuery{User: "user.5"}), "subscriptions_seq"},
				{list(notifier.SubscriptionQuery{Role: "role.5", Before: 9000}), "subscriptions_role_id"},
				{`SELECT EXISTS (SELECT 1 FROM subscriptions WHERE type = 'rare')`, "subscriptions_t"},
				{`DELETE FROM subscriptions WHERE seq = 5`, "subscriptions_seq"},
				{`SELECT COUNT(*) FROM subscriptions WHERE seq = 5`, "subscriptions_seq"},
				{`DELETE FROM subscriptions WHERE type = 'stock' AND scope = 'w20' AND seq = 5`, "subscriptions_"},
			} {
				got := plan(t, raw, explain+c.statement)
				if wholeSubscriptions.MatchString(got) || !strings.Contains(got, c.index) {
					t.Errorf("%s\nis run as\n%s\nwant %s", c.statement, got, c.index)
				}
			}
			if _, err := raw.ExecContext(t.Context(), `ANALYZE`); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// wholeSubscriptions matches plans that read the table from its beginning to its end. Reading
// backwards from the end until a page is full is fine.
var wholeSubscriptions = regexp.MustCompile(`Seq Scan on subscriptions|SCAN s USING|SCAN s$|SCAN subscriptions USING`)

// filled returns a statement with its parameters filled in.
func filled(query string, args []any) string {
	for i := len(args); i > 0; i-- {
		value := fmt.Sprint(args[i-1])
		switch arg := args[i-1].(type) {
		case string:
			value = "'" + arg + "'"
		case []int64:
			value = strings.ReplaceAll("'{"+strings.Trim(value, "[]")+"}'::bigint[]", " ", ",")
		}
		query = strings.ReplaceAll(query, fmt.Sprint("$", i), value)
	}
	return query
}

func TestNoticesBySubjectUsesItsIndex(t *testing.T) {
	onBoth(t, func(t *testing.T, db *database) {
		s := db.open(t)
		store.Exec(t, s, `INSERT INTO notices (state, created_at, expires_at, target, type, scope, subject, title, body, link, toast, sender_id)
			WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)
			SELECT 'sent', 1, 9, '{}', 'news', '', CASE WHEN n % 2 = 0 THEN '' ELSE 'invoice:' || n END, 'old', '', '', FALSE, '' FROM numbers`)
		raw, explain := db.raw(t), `EXPLAIN QUERY PLAN `
		if db.cfg.URL != "" {
			explain = `EXPLAIN `
		}
		if _, err := raw.ExecContext(t.Context(), `ANALYZE`); err != nil {
			t.Fatal(err)
		}
		got := plan(t, raw, explain+filled(`SELECT id, title FROM notices LEFT JOIN announcements ON notice_id = id `+store.SubjectQuery(s),
			[]any{"invoice:77", 5, 1, 100, store.NumberList(s, 0)}))
		if !strings.Contains(got, "notices_subject") || strings.Contains(got, "Seq Scan on notices") || strings.Contains(got, "SCAN notices") {
			t.Errorf("notices by subject are read as\n%s\nwant notices_subject", got)
		}
	})
}
