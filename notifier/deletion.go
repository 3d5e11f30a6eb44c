package notifier

import (
	"fmt"
	"time"
)

// ErrLeaving is an ErrConflict: a user with this name is being deleted, and the name
// stays taken until the deletion is complete.
var ErrLeaving = fmt.Errorf("a user with this name is being deleted: %w", ErrConflict)

// Deletion is a user whose account is deleted and whose remaining data is being removed.
type Deletion struct {
	Seq       int64
	Name      string
	Audience  Audience
	StartedAt time.Time
}
