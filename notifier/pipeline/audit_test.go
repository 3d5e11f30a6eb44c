package pipeline_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
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
	eventually(t, "the entry is gone", func() bool {
		log, err := r.store.AuditLog(t.Context(), 0, 1)
		return err == nil && len(log) == 0
	})
}
