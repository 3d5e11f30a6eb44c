package notifier

import "strings"

// Readiness is the state of an instance as reported to proxies and operators.
type Readiness struct {
	// Down means that pages do not work here, so that a proxy should route users elsewhere.
	Down bool
	// Causes contains a sentence for each problem, with its cure, without secrets. Empty: no problem.
	Causes []string
}

// String returns ok, degraded or unavailable on the first line, and each cause on a separate line.
func (r Readiness) String() string {
	state := "ok"
	switch {
	case r.Down:
		state = "unavailable"
	case len(r.Causes) > 0:
		state = "degraded"
	}
	return strings.Join(append([]string{state}, r.Causes...), "\n")
}
