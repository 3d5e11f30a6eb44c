package outbox

import "context"

// State is what is in an outbox.
type State struct {
	Waiting int64 // rows to be sent
	Faulty  int64 // rows with an error
}

// Check returns what is in an outbox, or why it cannot be read. It changes nothing and takes no lock.
func Check(ctx context.Context, b Box) (s State, err error) {
	l, err := open(ctx, b)
	if err != nil {
		return s, err
	}
	defer l.close()
	if err := l.check(ctx); err != nil {
		return s, err
	}
	ctx, cancel := context.WithTimeout(ctx, callWait)
	defer cancel()
	query := `SELECT COUNT(*), COALESCE(SUM(CASE WHEN ` + faulty + ` THEN 1 ELSE 0 END), 0) FROM ` + l.quoted(b.Table)
	if err = l.conn.QueryRowContext(ctx, query).Scan(&s.Waiting, &s.Faulty); err != nil {
		return s, l.explain(err)
	}
	s.Waiting -= s.Faulty
	return s, nil
}
