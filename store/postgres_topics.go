package store

// subscribers goes through t and looks up each. OFFSET 0 keeps it to that: how many
// topics there are in t is not known to the planner, which would rather read all
// subscriptions there are.
func (postgresDialect) subscribers() string {
	return `SELECT t.type, t.scope, s.seq, '' FROM t CROSS JOIN LATERAL (
			SELECT seq FROM subscriptions WHERE type = t.type AND scope = t.scope AND seq IS NOT NULL OFFSET 0) s
		UNION ALL SELECT t.type, t.scope, 0, r.name FROM t CROSS JOIN LATERAL (
			SELECT role_id FROM subscriptions WHERE type = t.type AND scope = t.scope AND role_id IS NOT NULL OFFSET 0) s
			JOIN roles r ON r.id = s.role_id`
}
