package store_test

import (
	"strconv"
	"testing"
	"time"

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
