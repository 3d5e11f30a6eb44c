package store

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"time"

	"github.com/carillonhq/carillon/notifier"
)

// reachQuery reads the targets of a subquery with the data needed to decide.
const (
	reachQuery = `SELECT ` + targetColumns + `, ` + userColumns + `, u.mail_when, u.mail_at, u.quiet_from, u.quiet_to, ` + readerApp + ` FROM (`
	reachUser  = `) t JOIN users u ON u.seq = t.seq ORDER BY t.due_at, t.id`

	// dueTargetsQuery repeats the predicate of the partial index targets_due.
	dueTargetsQuery = reachQuery + `SELECT * FROM targets WHERE kind = $1 AND due_at > 0 AND due_at <= $2 AND state <> 'off' ORDER BY due_at LIMIT $3` + reachUser
)

// DueTargets returns the targets of a kind that are due, earliest first.
func (s *Store) DueTargets(ctx context.Context, kind notifier.ReachKind, limit int) (due []notifier.ReachDue, err error) {
	due, err = s.reaches(ctx, dueTargetsQuery, string(kind), millis(s.now()), limit)
	return due, s.fail(err, "list the targets that are due")
}

// Reaches returns all targets of these users, due or not, with the data needed to decide.
func (s *Store) Reaches(ctx context.Context, seqs []int64) (found []notifier.ReachDue, err error) {
	for part := range slices.Chunk(seqs, listSize) {
		some, err := s.reaches(ctx, reachQuery+`SELECT * FROM targets WHERE `+s.dialect.within("seq", 1)+reachUser, s.dialect.numberList(part))
		if err != nil {
			return nil, s.fail(err, "list the targets of %d users", len(seqs))
		}
		found = append(found, some...)
	}
	return found, nil
}

func (s *Store) reaches(ctx context.Context, query string, args ...any) (due []notifier.ReachDue, err error) {
	byUser := map[int64][]int{}
	err = s.all(ctx, func(rows *sql.Rows) error {
		var r targetRow
		var d notifier.ReachDue
		var mailWhen string
		var mailAt int
		var from, to sql.Null[int64]
		err := rows.Scan(slices.Concat(r.fields(), userFields(&d.User), []any{&mailWhen, &mailAt, &from, &to, &d.App})...)
		d.ReachTarget, d.Quiet = r.target(), quietOf(from, to)
		d.Zone, _ = d.User.Zones.InForce(s.zone)
		if d.Kind == notifier.ReachMail && mailWhen == "" {
			s.follow(&d, mailAt)
		}
		byUser[d.Seq] = append(byUser[d.Seq], len(due))
		due = append(due, d)
		return err
	}, query, args...)
	if err != nil || len(due) == 0 {
		return due, err
	}
	return due, s.all(ctx, func(rows *sql.Rows) error {
		var seq int64
		var typ string
		var kind notifier.ReachKind
		var wanted bool
		err := rows.Scan(&seq, &typ, &kind, &wanted)
		for _, i := range byUser[seq] {
			if due[i].Kind != kind {
				continue
			}
			if due[i].Wants == nil {
				due[i].Wants = map[string]bool{}
			}
			due[i].Wants[typ] = wanted
		}
		return err
	}, `SELECT seq, type, kind, wanted FROM type_wants WHERE kind <> 'inbox' AND `+s.dialect.within("seq", 1), s.dialect.numberList(slices.Collect(maps.Keys(byUser))))
}

// quietOf converts the stored form of quiet hours.
func quietOf(from, to sql.Null[int64]) *notifier.Quiet {
	if !from.Valid || !to.Valid {
		return nil
	}
	return &notifier.Quiet{From: int(from.V), To: int(to.V)}
}

// sameClaim is the condition that nobody has claimed a target since it was read, switched it off, or replaced its address: a service
// that refuses the former address of a browser must not end the next one.
const sameClaim = `id = $1 AND due_at = $2 AND upto = $3 AND address = $4`

func claimArgs(t *notifier.ReachTarget) []any {
	return []any{t.ID, millis(t.DueAt), t.UpTo, t.Address}
}

// stepQuery changes a target that is still as expected. If the step leaves nothing due, a newer entry makes
// the target due immediately. For a claimed message the claim decides alone: if a mail came back or settings were changed meanwhile,
// a result that was not stored would send the message twice.
const stepQuery = `UPDATE targets SET state = $5, told = CASE WHEN told > $6 THEN told ELSE $6 END, told_urgent = $7, upto = $8, urgent = $9,
		due_at = CASE WHEN CAST($10 AS BIGINT) = 0 AND newest > $6 AND $5 IN ('on', 'failing') THEN CAST($11 AS BIGINT) ELSE $10 END,
		tries = $12, refusals = $13, refused_at = $14, failing_since = $15, held_since = $16, error = $17,
		seen_at = CASE WHEN seen_at < $18 THEN $18 ELSE seen_at END
	WHERE ` + sameClaim + ` AND (upto > 0 OR told = $19 AND told_urgent = $20 AND state = $21)`

// Holds reports whether the claim of a target, as it was read, is still held: the target is not switched off, has the same address, was
// not claimed again, and its user exists.
func (s *Store) Holds(ctx context.Context, t *notifier.ReachTarget) (held bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM targets WHERE `+sameClaim+`)`, claimArgs(t)...).Scan(&held)
	return held, s.fail(err, "look at target %d", t.ID)
}

// Step makes these changes in one transaction and sets Done for the applied ones. It changes a target only
// if it has not changed since it was read, and one with a claimed message only if that claim is still held.
func (s *Store) Step(ctx context.Context, steps []*notifier.ReachStep) error {
	if len(steps) == 0 {
		return nil
	}
	ordered := slices.SortedFunc(slices.Values(steps), func(a, b *notifier.ReachStep) int { return cmp.Compare(a.Was.ID, b.Was.ID) })
	err := s.tx(ctx, func(tx *sql.Tx) error {
		now := millis(s.now())
		for _, step := range ordered {
			n, err := s.step(ctx, tx, step, now)
			if err != nil {
				return err
			}
			if step.Done = n == 1; !step.Done {
				continue
			}
			switch {
			case step.Gone && step.Was.Kind == notifier.ReachPush:
				if err = s.noteDead(ctx, tx, step.Was.Seq); err == nil {
					err = s.emitUser(ctx, tx, notifier.EventDeviceDead, step.Was.Seq)
				}
			case !step.Gone && step.To.State == notifier.ReachDead && step.Was.State != notifier.ReachDead:
				err = s.emitUser(ctx, tx, notifier.EventMailDead, step.Was.Seq)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	return s.fail(err, "change %d targets", len(steps))
}

func (s *Store) step(ctx context.Context, tx *sql.Tx, step *notifier.ReachStep, now int64) (int64, error) {
	was, to := step.Was, &step.To
	if step.Gone {
		return change(ctx, tx, `DELETE FROM targets WHERE `+sameClaim, claimArgs(was)...)
	}
	return change(ctx, tx, stepQuery, append(claimArgs(was),
		string(to.State), to.Told, to.ToldUrgent, to.UpTo, to.Urgent, millis(to.DueAt), now,
		to.Tries, to.Refusals, millis(to.RefusedAt), millis(to.FailingSince), millis(to.HeldSince), to.Error, millis(to.SeenAt),
		was.Told, was.ToldUrgent, string(was.State))...)
}

// ReachStats counts the targets of a kind.
func (s *Store) ReachStats(ctx context.Context, kind notifier.ReachKind) (n notifier.ReachStats, err error) {
	var oldest sql.Null[int64]
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(CASE WHEN state <> 'off' THEN 1 END), COUNT(since), MIN(since),
			COUNT(CASE WHEN state = 'failing' OR state = 'on' AND due_at > 0 AND held_since > 0 THEN 1 END), COUNT(CASE state WHEN 'dead' THEN 1 END)
		FROM (SELECT state, due_at, held_since, CASE WHEN due_at = 0 OR state NOT IN ('on', 'failing') THEN NULL
			WHEN held_since > 0 THEN held_since WHEN due_at <= $1 THEN due_at END AS since FROM targets WHERE kind = $2) t`, millis(s.now()), string(kind)).Scan(&n.Targets, &n.Due, &oldest, &n.Failing, &n.Dead)
	if oldest.Valid {
		n.Oldest = fromMillis(oldest.V)
	}
	return n, s.fail(err, "count the targets")
}

// lookAgain makes the targets of a user with something undecided due immediately, after the user has changed their
// preferences. A claimed message is sent unchanged.
func lookAgain(ctx context.Context, tx *sql.Tx, seq int64, now time.Time) error {
	_, err := tx.ExecContext(ctx, `UPDATE targets SET due_at = $1 WHERE seq = $2 AND upto = 0 AND newest > told AND state IN ('on', 'failing')`, millis(now), seq)
	return err
}
