package channels

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// A service is considered failing when it refuses this many different users in a row.
const (
	several     = 5
	maxServices = 256            // maximum number of failing services that are stored
	maxFailed   = 4096           // maximum number of users stored per failing service; then all are dropped
	warnEvery   = 24 * time.Hour // minimum interval between log lines about a service that refuses single recipients
)

// Pauses is how long a failing service is paused. Each pause is twice the previous one, up to Last.
type Pauses struct{ First, Last time.Duration }

// judge decides whether a refusal of a message is caused by the recipient or by the service. A single refusal is
// attributed to the recipient. Several different users in a row without a success in between, or a service that
// cannot be reached, are attributed to the service. Then its messages wait. After each pause a few are tried,
// first for users who have not been tried since the service failed, so that many dead recipients do not hide a
// working service. The first success ends the failure.
type judge struct {
	kind        notifier.ReachKind
	refusing    Pauses // for a service that refuses
	unreachable Pauses // for a service that does not respond
	now         func() time.Time
	log         *slog.Logger

	mu       sync.Mutex
	services map[string]*standing // only failing ones
}

// standing is the state of a service since its last success.
type standing struct {
	failed map[int64]time.Time // users with a failed message, with the end of the pause after which they last yielded to others
	fault  bool
	silent bool          // the service cannot be reached
	pause  time.Duration // the last one
	resume time.Time     // nothing is sent before this time
	probes int           // messages refused since then
	seen   time.Time     // last failed message
	warned time.Time
}

// decide records the outcome of a message to a user, and returns it as Away if the service is failing.
func (j *judge) decide(ctx context.Context, service string, seq int64, out Outcome) Outcome {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.services[service]; s != nil && (out.Verdict == Sent || s.silent && out.Verdict != Away) {
		j.answers(ctx, service, s)
	}
	switch out.Verdict {
	case Sent, Later, Gone:
		return out // the result concerns at most the recipient
	case Away, Delayed, Refused, Denied:
	}
	s := j.standing(service)
	fault := s.fault
	switch {
	case out.Verdict == Away:
		s.failed[seq], s.fault, s.silent = time.Time{}, true, true
		if !s.resume.After(j.now()) {
			j.leave(s, j.unreachable, out.After)
		}
	case s.fault:
		s.failed[seq] = time.Time{}
		j.probed(s, out.After)
	default:
		s.failed[seq] = time.Time{}
		if s.fault = len(s.failed) >= several; s.fault {
			j.leave(s, j.refusing, out.After)
		}
	}
	if !s.fault {
		j.warn(ctx, service, s, out)
		return out
	}
	if s.seen = j.now(); !fault {
		s.warned = s.seen
		j.log.WarnContext(ctx, "delivery service failing; its messages wait", j.fields(service, out)...)
	}
	return Outcome{Verdict: Away, Fault: true, Reason: out.Reason, After: max(s.resume.Sub(s.seen), s.pause, out.After)}
}

// probed records a refusal while the service is failing. Several of them start the next pause.
func (j *judge) probed(s *standing, after time.Duration) {
	if s.resume.After(j.now()) {
		return // it was sent before the pause began
	}
	if s.probes++; s.probes >= several {
		j.leave(s, j.refusing, after)
	}
}

// leave starts a pause.
func (j *judge) leave(s *standing, p Pauses, after time.Duration) {
	s.pause = max(min(max(2*s.pause, p.First), p.Last), after)
	s.resume, s.probes = j.now().Add(s.pause), 0
	if len(s.failed) >= maxFailed {
		clear(s.failed)
	}
}

// answers clears the failures of a service that has accepted a message or responds again.
func (j *judge) answers(ctx context.Context, service string, s *standing) {
	if s.fault {
		j.log.InfoContext(ctx, "delivery service recovered", j.fields(service, Outcome{})...)
	}
	s.fault, s.silent, s.pause, s.resume, s.probes = false, false, 0, time.Time{}, 0
	clear(s.failed)
	if j.now().Sub(s.warned) > warnEvery {
		delete(j.services, service)
	}
}

// rest returns the remaining pause of a service.
func (j *judge) rest(service string) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.services[service]; s != nil {
		return s.resume.Sub(j.now())
	}
	return 0
}

// wait returns how long a message to a user must still wait. After a pause, users with an earlier failure yield to
// all others, once.
func (j *judge) wait(service string, seq int64) time.Duration {
	if rest := j.rest(service); rest > 0 {
		return rest
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.services[service]
	if s == nil || !s.fault {
		return 0
	}
	if last, ok := s.failed[seq]; !ok || last.Equal(s.resume) {
		return 0
	}
	s.failed[seq], s.seen = s.resume, j.now()
	return spread(s.pause) + every
}

// away reports whether a service is failing now. An instance that no longer sends drops its state.
func (j *judge) away() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range j.services {
		if s.fault && j.now().Sub(s.seen) < s.pause+2*claimLife {
			return true
		}
	}
	return false
}

// standing returns the state of a service. Users can register many hosts of push services, so services that are
// not failing are dropped when there are too many.
func (j *judge) standing(service string) *standing {
	if s := j.services[service]; s != nil {
		return s
	}
	if len(j.services) >= maxServices {
		for name, s := range j.services {
			if !s.fault {
				delete(j.services, name)
			}
		}
		if len(j.services) >= maxServices {
			clear(j.services)
		}
	}
	s := &standing{failed: map[int64]time.Time{}}
	j.services[service] = s
	return s
}

// warn logs a refusal of a single recipient once a day, unless it contains a mail address.
func (j *judge) warn(ctx context.Context, service string, s *standing, out Outcome) {
	if out.Verdict == Denied && j.kind == notifier.ReachMail || j.now().Sub(s.warned) < warnEvery {
		return
	}
	s.warned = j.now()
	j.log.WarnContext(ctx, "message refused; retrying", j.fields(service, out)...)
}

func (j *judge) fields(service string, out Outcome) []any {
	fields := []any{"stage", "channels", "kind", j.kind}
	if service != "" {
		fields = append(fields, "service", service)
	}
	if out.Reason != "" {
		fields = append(fields, "err", out.Reason)
	}
	return fields
}
