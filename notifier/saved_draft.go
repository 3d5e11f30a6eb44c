package notifier

import "time"

// MaxSavedDrafts is how many drafts a user can have.
const MaxSavedDrafts = 50

// KeepDrafts is how long a draft is kept after its last change.
const KeepDrafts = 30 * 24 * time.Hour

// CodeTooManyDrafts is the code of a FieldError on the field draft: the user has Max drafts
// already.
const CodeTooManyDrafts = "too_many_drafts"

// SavedDraft is a form that its author has begun to fill in. It exists until it is sent, deleted
// by its author, or left untouched for KeepDrafts.
type SavedDraft struct {
	Author    int64  // the seq of a user; nobody else sees the draft
	ID        string // the token of the form, which also makes sending it idempotent
	Title     string // of the notice; empty: not typed yet
	Form      string // the fields, URL-encoded; empty in lists
	ChangedAt time.Time
}
