package rule

import (
	"context"
	"log/slog"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// Store keeps how rules fared, and what they have found.
type Store interface {
	SaveRun(ctx context.Context, run notifier.RuleRun) error
	Runs(ctx context.Context) ([]notifier.RuleRun, error)
	// Findings returns what a rule has told of, by subject.
	Findings(ctx context.Context, rule string) (map[string]notifier.Finding, error)
	// SaveFindings adds or replaces some, and forgets those gone, in one transaction.
	SaveFindings(ctx context.Context, rule string, told []notifier.Finding, gone []string) error
	// ForgetRules forgets all of every rule but these.
	ForgetRules(ctx context.Context, but []string) error
	// NoticesBySubject returns those that still stand, by id, so many above after.
	NoticesBySubject(ctx context.Context, subject string, after int64, limit int) ([]notifier.Notice, error)
}

// Sender accepts notices and takes them back.
type Sender interface {
	// SendAll answers for each in order. A request that comes again is the same notice.
	SendAll(ctx context.Context, all []notifier.Request) []notifier.Result
	// Retract takes a notice back; twice is no error.
	Retract(ctx context.Context, id int64) error
}

// Lease lets one instance do the work that any of them could do. Nothing rests on
// it: two that run a rule at the same time tell it once more, and no worse.
type Lease interface {
	// Hold takes the lease or lengthens it; false means another has it.
	Hold(ctx context.Context) (bool, error)
	// Release gives it back early, if it is ours.
	Release(ctx context.Context) error
}

// Config is what a Runner is made of.
type Config struct {
	Rules  *Set
	Store  Store                                       // nil: for Check alone, and all is new
	Sender Sender                                      // nil: for Check alone
	Leases func(name string, life time.Duration) Lease // nil: there is no other instance
	Limits notifier.Limits                             // what a notice can be
	Life   time.Duration                               // after which another instance runs the rules of one that died; 0: 15 s
	Log    *slog.Logger                                // nil: slog.Default()
	Now    func() time.Time                            // nil: time.Now
}

// alone is the lease where nobody else is.
type alone struct{}

func (alone) Hold(context.Context) (bool, error) { return true, nil }

func (alone) Release(context.Context) error { return nil }
