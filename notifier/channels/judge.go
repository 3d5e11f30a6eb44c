package channels

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// The rule of the judge: a service is at fault when it refuses this many different users in a row.
const (
	several     = 5
	maxServices = 256            // services with a fault that are remembered
	warnEvery   = 24 * time.Hour // a service that refuses single recipients is logged no more often
)

// Pauses are how long a service at fault is left in peace. Each pause is twice the one before, up to Last.
type Pauses struct{ First, Last time.Duration }

// judge decides who is at fault when messages of one kind are refused: the recipient or the service. One
// recipient's answer concerns that recipient. After several different users in a row without a success in
// between it is the service, and so it is at once when it cannot be reached. Then its messages wait. After each
// pause a few are tried, and the first success ends the fault.
type judge struct {
	kind        notifier.ReachKind
	refusing    Pauses // of a service that refuses
	unreachable Pauses // of a service that gives no answer
	now         func() time.Time
	log         *slog.Logger

	mu       sync.Mutex
	services map[string]*standing // only those with a fault
}

// standing is what is known about a service since its last success.
type standing struct {
	refused map[int64]bool // users, until there are several
	fault   bool
	silent  bool          // the fault is that it cannot be reached
	pause   time.Duration // the last one
	resume  time.Time     // nothing is sent before
	probes  int           // messages that were refused since then
	seen    time.Time     // when it was last found at fault
	warned  time.Time
}

// decide notes the outcome of a message to a user, and returns it as Away if the service is at fault.
func (j *judge) decide(ctx context.Context, service string, seq int64, out Outcome) Outcome {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.services[service]; s != nil && (out.Verdict == Told || s.silent && out.Verdict != Away) {
		j.answers(ctx, service, s)
	}
	switch out.Verdict {
	case Told, Later, Gone:
		return out // at most, they say something about the recipient
	case Away, Delayed, Refused, Denied:
	}
	s := j.standing(service)
	fault := s.fault
	switch {
	case out.Verdict == Away:
		s.fault, s.silent = true, true
		if !s.resume.After(j.now()) {
			j.leave(s, j.unreachable, out.After)
		}
	case s.fault:
		j.probed(s, out.After)
	default:
		s.refused[seq] = true
		if s.fault = len(s.refused) >= several; s.fault {
			j.leave(s, j.refusing, out.After)
		}
	}
	if !s.fault {
		j.warn(ctx, service, s, out)
		return out
	}
	if s.seen = j.now(); !fault {
		s.warned = s.seen
		j.log.WarnContext(ctx, "service at fault; its messages wait", j.fields(service, out)...)
	}
	wait := max(s.resume.Sub(s.seen), s.pause, out.After)
	if out.Verdict != Away {
		wait = max(wait, min(2*s.pause, j.refusing.Last)) + every // behind those that have not been tried
	}
	return Outcome{Verdict: Away, Fault: true, Reason: out.Reason, After: wait}
}

// probed notes a refusal while the service is at fault. Several of them begin the next pause.
func (j *judge) probed(s *standing, after time.Duration) {
	if s.resume.After(j.now()) {
		return // it was on its way when the pause began
	}
	if s.probes++; s.probes >= several {
		j.leave(s, j.refusing, after)
	}
}

// leave begins a pause.
func (j *judge) leave(s *standing, p Pauses, after time.Duration) {
	s.pause = max(min(max(2*s.pause, p.First), p.Last), after)
	s.resume, s.probes = j.now().Add(s.pause), 0
}

// answers ends what was held against a service: it has taken a message, or answers again after a silence.
func (j *judge) answers(ctx context.Context, service string, s *standing) {
	if s.fault {
		j.log.InfoContext(ctx, "service answers again", j.fields(service, Outcome{})...)
	}
	s.fault, s.silent, s.pause, s.resume, s.probes = false, false, 0, time.Time{}, 0
	clear(s.refused)
	if j.now().Sub(s.warned) > warnEvery {
		delete(j.services, service)
	}
}

// wait is how long a service is still left in peace.
func (j *judge) wait(service string) time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	if s := j.services[service]; s != nil {
		return s.resume.Sub(j.now())
	}
	return 0
}

// away reports whether a service is at fault now. An instance that no longer sends forgets what it knew.
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

// standing returns what is known about a service. Users can name many hosts of push services, so those that
// are not at fault are forgotten when there are too many.
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
	s := &standing{refused: map[int64]bool{}}
	j.services[service] = s
	return s
}

// warn logs the answer to a single recipient, once a day, unless it speaks of a mail address.
func (j *judge) warn(ctx context.Context, service string, s *standing, out Outcome) {
	if out.Verdict == Denied && j.kind == notifier.ReachMail || j.now().Sub(s.warned) < warnEvery {
		return
	}
	s.warned = j.now()
	j.log.WarnContext(ctx, "message refused; it is tried again", j.fields(service, out)...)
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
