package store

import (
	"context"
	"database/sql"

	"github.com/carillonhq/carillon/notifier"
)

// StartRun stores a run that begins, in place of the rule's last one, which can save nothing from then on. It records the run in the
// audit log, in the same transaction, unless by is empty. Bytes in its error that SQL cannot store as text are replaced.
func (s *Store) StartRun(ctx context.Context, by notifier.Actor, r notifier.RuleRun) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO rule_runs (rule, started_at, ended_at, findings, sent, withdrawn, failures, error)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (rule) DO UPDATE SET started_at = excluded.started_at,
				ended_at = excluded.ended_at, findings = excluded.findings, sent = excluded.sent, withdrawn = excluded.withdrawn,
				failures = excluded.failures, error = excluded.error`, runArgs(r)...)
		if err != nil {
			return err
		}
		return s.record(ctx, tx, by, "rule.run", notifier.RuleRef(r.Rule), "")
	})
	return s.fail(err, "start a run of rule %q", r.Rule)
}

// SaveRun stores the result of a run. It returns notifier.ErrConflict if the rule was started again since.
func (s *Store) SaveRun(ctx context.Context, r notifier.RuleRun) error {
	n, err := s.exec(ctx, `UPDATE rule_runs SET ended_at = $3, findings = $4, sent = $5, withdrawn = $6, failures = $7, error = $8
		WHERE rule = $1 AND started_at = $2`, runArgs(r)...)
	if err == nil && n == 0 {
		err = notifier.ErrConflict
	}
	return s.fail(err, "save a run of rule %q", r.Rule)
}

func runArgs(r notifier.RuleRun) []any {
	return []any{text(r.Rule), millis(r.StartedAt), millis(r.EndedAt), r.Findings, r.Sent, r.Withdrawn, r.Failures, text(r.Error)}
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

// SaveFindings stores the findings that a run of a rule has sent notices about, replacing earlier ones with
// the same subjects, and deletes the subjects in gone: either all of it or nothing. The rule of the run
// is stored; the Rule field of each finding is ignored. It returns notifier.ErrConflict if the rule was started again since: that run
// has read the findings, and would send them once more if they changed under it.
func (s *Store) SaveFindings(ctx context.Context, run notifier.RuleRun, sent []notifier.Finding, gone []string) error {
	if len(sent)+len(gone) == 0 {
		return nil
	}
	rule := text(run.Rule)
	err := s.tx(ctx, func(tx *sql.Tx) error {
		// It locks the row, so that the run is still the last one when this is committed.
		n, err := change(ctx, tx, `UPDATE rule_runs SET rule = rule WHERE rule = $1 AND started_at = $2`, rule, millis(run.StartedAt))
		if err == nil && n == 0 {
			err = notifier.ErrConflict
		}
		if err != nil {
			return err
		}
		_, err = change(ctx, tx, `DELETE FROM rule_findings WHERE rule = $1 AND `+s.dialect.within("subject", 2),
			rule, s.dialect.textList(texts(gone)))
		if err != nil {
			return err
		}
		const save = `INSERT INTO rule_findings (rule, subject, digest, notice_id, told_at, seen_at)
			VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (rule, subject) DO UPDATE SET digest = excluded.digest,
				notice_id = excluded.notice_id, told_at = excluded.told_at, seen_at = excluded.seen_at`
		for _, f := range sent {
			digest := append([]byte{}, f.Digest...) // never NULL
			_, err := tx.ExecContext(ctx, save, rule, text(f.Subject), digest, f.NoticeID, millis(f.ToldAt), millis(f.SeenAt))
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "save %d findings of rule %q", len(sent), run.Rule)
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
