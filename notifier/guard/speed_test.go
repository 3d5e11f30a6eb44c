package guard_test

import (
	"testing"
	"time"

	"github.com/carillonhq/carillon/internal/redistest"
	"github.com/carillonhq/carillon/notifier/guard"
)

// oldFile restores a site of this many users from a file that lacks one notice in each inbox, and returns how long
// the gate was closed.
func oldFile(t testing.TB, users int) time.Duration {
	t.Helper()
	server := redistest.Own(t)
	s := newSite(t, users, onServer(server))
	i := s.running(t, nil)
	i.notify(t, "a", s.seqs...)
	i.flush(t)
	file := server.Save(t)
	i.notify(t, "b", s.seqs...)
	i.flush(t)
	changed := i.Changed()
	server.Crash(t)
	server.RestartFrom(t, file)
	began := time.Now()
	<-changed
	i.awaits(t, guard.Open)
	took := time.Since(began)
	for _, n := range []int{0, users / 2, users - 1} {
		i.wantRows(t, s.seqs[n], "b", "a")
	}
	return took
}

func TestManyPagesOfInboxesAreRestored(t *testing.T) {
	t.Parallel()
	oldFile(t, 1200)
}

// BenchmarkHealing took 1.1 s for 10,000 inboxes, all of them outdated, on two shared cores.
func BenchmarkHealing(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(float64(oldFile(b, 10_000).Milliseconds()), "ms-closed")
	}
}
