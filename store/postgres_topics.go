package store

// subscribers looks up each topic of t. OFFSET 0 forces that plan: the planner does not know how few
// topics t holds and would otherwise read all subscriptions.
func (postgresDialect) subscribers() string {
	return `SELECT t.type, t.scope, s.seq, '' FROM t CROSS JOIN LATERAL (
			SELECT seq FROM subscriptions WHERE type = t.type AND scope = t.scope AND seq IS NOT NULL OFFSET 0) s
		UNION ALL SELECT t.type, t.scope, 0, r.name FROM t CROSS JOIN LATERAL (
			SELECT role_id FROM subscriptions WHERE type = t.type AND scope = t.scope AND role_id IS NOT NULL OFFSET 0) s
			JOIN roles r ON r.id = s.role_id`
}
