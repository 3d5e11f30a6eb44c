package topic

import "context"

// Round is one round of Run.
func (t *Topics) Round(ctx context.Context) error { return t.round(ctx) }

// Behind reports whether SQL serves reads because Redis may be wrong.
func (t *Topics) Behind() bool { return t.behind() }
