package topic

import "context"

// Round is one look of Run.
func (t *Topics) Round(ctx context.Context) error { return (&runner{Topics: t}).round(ctx) }

// Behind says whether SQL answers for what Redis may have wrong.
func (t *Topics) Behind() bool { return t.behind() }
