package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// SaveRun replaces the result of a rule's last run. Bytes in its error that SQL cannot store as
// text are replaced.
func (s *Store) SaveRun(ctx context.Context, r notifier.RuleRun) error {
	return s.StartRun(ctx, notifier.Actor{}, r)
}

// StartRun is SaveRun for a run that begins. It records the run in the audit log, in the same transaction, unless by
// is empty.
func (s *Store) StartRun(ctx context.Context, by notifier.Actor, r notifier.RuleRun) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		if err := saveRun(ctx, tx, r); err != nil {
			return err
		}
		return s.record(ctx, tx, by, "rule.run", notifier.RuleRef(r.Rule), "")
	})
	return s.fail(err, "save a run of rule %q", r.Rule)
}

func saveRun(ctx context.Context, tx *sql.Tx, r notifier.RuleRun) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO rule_runs (rule, started_at, ended_at, findings, sent, withdrawn, failures, error)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (rule) DO UPDATE SET started_at = excluded.started_at,
			ended_at = excluded.ended_at, findings = excluded.findings, sent = excluded.sent, withdrawn = excluded.withdrawn,
			failures = excluded.failures, error = excluded.error`,
		text(r.Rule), millis(r.StartedAt), millis(r.EndedAt), r.Findings, r.Sent, r.Withdrawn, r.Failures, text(r.Error))
	return err
}

// Runs returns the last run of every rule that has run, ordered by rule.
func (s *Store) Runs(ctx context.Context) ([]notifier.RuleRun, error) {
	var runs []notifier.RuleRun
	err := s.all(ctx, func(rows *sql.Rows) error {
		var r notifier.RuleRun
		var started, ended int64
		err := rows.Scan(&r.Rule, &started, &ended, &r.Findings, &r.Sent, &r.Withdrawn, &r.Failures, &r.Error)
		r.StartedAt, r.EndedAt = fromMillis(started), fromMillis(ended)
		runs = append(runs, r)
		return err
	}, `SELECT rule, started_at, ended_at, findings, sent, withdrawn, failures, error FROM rule_runs ORDER BY rule`)
	return runs, s.fail(err, "read the runs of rules")
}

// Findings returns the findings that a rule has sent notices about, by subject.
func (s *Store) Findings(ctx context.Context, rule string) (map[string]notifier.Finding, error) {
	found := make(map[string]notifier.Finding)
	err := s.all(ctx, func(rows *sql.Rows) error {
		f := notifier.Finding{Rule: rule}
		var told, seen int64
		err := rows.Scan(&f.Subject, &f.Digest, &f.NoticeID, &told, &seen)
		f.ToldAt, f.SeenAt = fromMillis(told), fromMillis(seen)
		found[f.Subject] = f
		return err
	}, `SELECT subject, digest, notice_id, told_at, seen_at FROM rule_findings WHERE rule = $1`, text(rule))
	if err != nil {
		return nil, s.fail(err, "read the findings of rule %q", rule)
	}
	return found, nil
}

// SaveFindings stores the findings that a rule has sent notices about, replacing earlier ones with
// the same subjects, and deletes the subjects in gone: either all of it or nothing. The argument
// rule is stored; the Rule field of each finding is ignored.
func (s *Store) SaveFindings(ctx context.Context, rule string, sent []notifier.Finding, gone []string) error {
	if len(sent)+len(gone) == 0 {
		return nil
	}
	err := s.tx(ctx, func(tx *sql.Tx) error {
		_, err := change(ctx, tx, `DELETE FROM rule_findings WHERE rule = $1 AND `+s.dialect.within("subject", 2),
			text(rule), s.dialect.textList(texts(gone)))
		if err != nil {
			return err
		}
		const save = `INSERT INTO rule_findings (rule, subject, digest, notice_id, told_at, seen_at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (rule, subject) DO UPDATE SET digest = excluded.digest,
				notice_id = excluded.notice_id, told_at = excluded.told_at, seen_at = excluded.seen_at`
		for _, f := range sent {
			digest := append([]byte{}, f.Digest...) // never NULL
			_, err := tx.ExecContext(ctx, save, text(rule), text(f.Subject), digest, f.NoticeID, millis(f.ToldAt), millis(f.SeenAt))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "save %d findings of rule %q", len(sent), rule)
}

// ForgetRules deletes the runs and findings of all rules except these.
func (s *Store) ForgetRules(ctx context.Context, but []string) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		for _, table := range []string{"rule_runs", "rule_findings"} {
			_, err := change(ctx, tx, `DELETE FROM `+table+` WHERE NOT (`+s.dialect.within("rule", 1)+`)`, s.dialect.textList(texts(but)))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "delete the runs and findings of all rules but %d", len(but))
}

// texts makes each string of a list safe for a statement.
func texts(list []string) []string {
	safe := make([]string, len(list))
	for i, s := range list {
		safe[i] = text(s)
	}
	return safe
}
