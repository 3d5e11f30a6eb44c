package store

// subscribers looks up each topic of t, which is small compared with the table.
func (sqliteDialect) subscribers() string {
	return `SELECT t.type, t.scope, s.seq, '' FROM t
		CROSS JOIN subscriptions s ON s.type = t.type AND s.scope = t.scope AND s.seq IS NOT NULL
	UNION ALL SELECT t.type, t.scope, 0, r.name FROM t
		CROSS JOIN subscriptions s ON s.type = t.type AND s.scope = t.scope AND s.role_id IS NOT NULL
		JOIN roles r ON r.id = s.role_id`
}
