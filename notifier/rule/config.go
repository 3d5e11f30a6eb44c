package rule

import (
	"context"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/internal/lease"
	"github.com/carillonhq/carillon/notifier"
)

// Store keeps the runs of the rules and their findings.
type Store interface {
	SaveRun(ctx context.Context, run notifier.RuleRun) error
	Runs(ctx context.Context) ([]notifier.RuleRun, error)
	// Findings returns the recorded findings of a rule, by subject.
	Findings(ctx context.Context, rule string) (map[string]notifier.Finding, error)
	// SaveFindings adds or replaces findings, and deletes those whose subjects are in gone, in one
	// transaction.
	SaveFindings(ctx context.Context, rule string, told []notifier.Finding, gone []string) error
	// ForgetRules deletes everything about all rules except these.
	ForgetRules(ctx context.Context, but []string) error
	// NoticesBySubject returns up to limit notices that are not retracted, by id, with ids above
	// after.
	NoticesBySubject(ctx context.Context, subject string, after int64, limit int) ([]notifier.Notice, error)
}

// Sender sends and retracts notices.
type Sender interface {
	// SendAll returns one result per request, in order. A repeated request gives the same notice.
	SendAll(ctx context.Context, all []notifier.Request) []notifier.Result
	// Retract retracts a notice; retracting it again is no error.
	Retract(ctx context.Context, id int64) error
}

// Config configures a Runner.
type Config struct {
	Rules  *Set
	Store  Store            // nil: for Check only, which then takes every finding as new
	Sender Sender           // nil: for Check only
	Leases lease.Source     // default lease.Alone
	Limits notifier.Limits  // limits on a notice
	Life   time.Duration    // after this another instance takes over the rules of a dead one; 0: 15 s
	Log    *slog.Logger     // nil: slog.Default()
	Now    func() time.Time // nil: time.Now
}
