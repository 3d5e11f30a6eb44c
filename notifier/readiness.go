package notifier

import "strings"

// Readiness is how well an instance serves its users.
type Readiness struct {
	// Down says that pages do not work here, so that a proxy should send users elsewhere.
	Down bool
	// Causes says what is wrong and what cures it, a sentence each, for anybody to read. Without any, all is well.
	Causes []string
}

// String returns ok, degraded or unavailable in the first line, and each cause in a line of its own.
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
