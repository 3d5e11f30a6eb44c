package notices_test

import (
	"database/sql"
	"path/filepath"
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/internal/testkit"
	"github.com/carillonhq/carillon/notifier"
)

func TestAuditLogIsTrimmedAfter400Days(t *testing.T) {
	t.Parallel()
	r := newRig(t, redistest.Client(t))
	if err := r.store.Audit(t.Context(), notifier.AuditEntry{Action: "session.begin", Address: "192.0.2.1"}); err != nil {
		t.Fatal(err)
	}
	c := r.config()
	c.Now = func() time.Time { return time.Now().Add(400*24*time.Hour + time.Minute) }
	running(t, c)
	db, err := sql.Open("sqlite", filepath.Join(r.dir, "carillon.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	testkit.Eventually(t, "the entry is gone", func() bool {
		left := -1
		err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM audit_log`).Scan(&left)
		return err == nil && left == 0
	})
}
