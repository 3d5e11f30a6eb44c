package store

import "github.com/carillonhq/carillon/notifier"

// The columns that refFields reads into a notifier.Ref: kind, id and user name. The name is a
// subquery, so that it is always looked up by the primary key of users, whatever the plan of the
// statement.
const (
	senderColumns = `sender_kind, sender_id, ` + userWhere + `sender_kind = 'user' THEN CAST(sender_id AS BIGINT)` + orNothing
	actorColumns  = `actor_kind, actor_id, ` + userWhere + `actor_kind = 'user' THEN CAST(actor_id AS BIGINT)` + orNothing
	objectColumns = `object_kind, object_id, ` + userWhere + `object_kind = 'user' THEN CAST(object_id AS BIGINT)` + orNothing

	userWhere = `COALESCE((SELECT users.name FROM users WHERE users.seq = CASE WHEN `
	orNothing = ` END), '')`
)

// refFields returns the scan destinations of a ref.
func refFields(r *notifier.Ref) []any { return []any{&r.Kind, &r.ID, &r.Name} }

// refID returns the stored form of an id. A user without a number cannot be distinguished from others with the
// same name, so it is stored as a deleted user.
func refID(r notifier.Ref) string {
	if r.Kind == notifier.KindUser && r.ID == "" {
		return notifier.DeletedUser().ID
	}
	return text(r.ID)
}
