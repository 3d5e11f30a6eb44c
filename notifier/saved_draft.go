package notifier

import (
	"strings"
	"time"
)

// MaxSavedDrafts is the maximum number of drafts per user.
const MaxSavedDrafts = 50

// MaxTemplates is the maximum number of templates, and MaxTemplateName the maximum length of a name in
// characters. It is equal to the maximum length of a title, because a title is suggested as the name.
const (
	MaxTemplates    = 100
	MaxTemplateName = MaxTitle
)

// KeepDrafts is how long a draft is stored after its last change. Templates are stored until they are
// deleted.
const KeepDrafts = 30 * 24 * time.Hour

// KeepDeletedDrafts is how long the deletion of a draft or template can be undone.
const KeepDeletedDrafts = 24 * time.Hour

// FieldError codes of saved drafts and templates.
const (
	CodeTooManyDrafts    = "too_many_drafts"    // draft: the user already has Max drafts
	CodeTooManyTemplates = "too_many_templates" // template_name: there are Max templates
)

// SavedDraft is a form that its author has begun to fill in, or a template. A draft exists until it
// is sent, deleted by its author, or unchanged for KeepDrafts.
type SavedDraft struct {
	Author    int64  // the seq of a user; only they see the draft
	ID        string // the token of the form, which also makes sending it idempotent
	Name      string // of a template, which all staff see; empty: it is a draft
	Title     string // of the notice; empty: not typed yet
	Form      string // the fields, URL-encoded; empty in lists
	ChangedAt time.Time
}

// ReadTemplateName returns a typed name without surrounding spaces, or an *InvalidError.
func ReadTemplateName(typed string) (string, error) {
	name := strings.TrimSpace(typed)
	var bad InvalidError
	if !strings.ContainsFunc(name, visible) {
		bad.Add("template_name", CodeRequired, nil)
	}
	checkText("template_name", name, MaxTemplateName, "", &bad)
	return name, bad.OrNil()
}
