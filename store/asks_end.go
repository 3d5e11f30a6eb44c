package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/carillonhq/carillon/notifier"
)

// settle ends an open question that its answers decide, or that everybody has answered.
func (s *Store) settle(ctx context.Context, tx *sql.Tx, q *notifier.Question, to *roaring.Bitmap) error {
	if q.Asked.Rule.Needs > 0 {
		if outcome := q.Asked.Decided(q.Answers); outcome != "" {
			return s.endAsk(ctx, tx, q, notifier.AskAnswered, outcome)
		}
		return nil
	}
	rest := to.Clone()
	rows, err := tx.QueryContext(ctx, `SELECT seq FROM ask_answers WHERE notice_id = $1`, q.ID)
	err = each(rows, err, func(rows *sql.Rows) error {
		var seq uint32
		err := rows.Scan(&seq)
		rest.Remove(seq)
		return err
	})
	if err == nil && rest.IsEmpty() {
		err = s.endAsk(ctx, tx, q, notifier.AskAnswered, "")
	}
	return err
}

func (s *Store) expire(ctx context.Context, tx *sql.Tx, q *notifier.Question) error {
	return s.endAsk(ctx, tx, q, notifier.AskExpired, q.Asked.Rule.Otherwise)
}

// endAsk gives a question its last state, and its notice a new revision that is due. A scheduled notice, which no user has,
// becomes retracted. It returns notifier.ErrConflict if the question has ended.
func (s *Store) endAsk(ctx context.Context, tx *sql.Tx, q *notifier.Question, state notifier.AskState, outcome notifier.ChoiceID) error {
	now := millis(s.now())
	changed, err := change(ctx, tx, `UPDATE asks SET state = $1, outcome = $2, ended_at = $3 WHERE notice_id = $4 AND state = 'open'`,
		string(state), string(outcome), now, q.ID)
	if err == nil && changed == 0 {
		err = notifier.ErrConflict
	}
	if err != nil {
		return err
	}
	q.Asked = *q.Asked.End(state, outcome, q.Answers)
	if err := s.emit(ctx, tx, askFacts(q.ID, state, outcome)...); err != nil {
		return err
	}
	return s.reviseAsk(ctx, tx, q)
}

// askFacts returns what the end of a question is for hooks. One that is withdrawn is none.
func askFacts(id int64, state notifier.AskState, outcome notifier.ChoiceID) []fact {
	typ, data := notifier.EventAskAnswered, notifier.HookAsk{Ask: id, State: state}
	switch state {
	case notifier.AskExpired:
		typ = notifier.EventAskExpired
	case notifier.AskAnswered:
	default:
		return nil
	}
	if outcome != "" {
		data.Outcome = &outcome
	}
	return []fact{{typ: typ, data: data}}
}

// reviseAsk stores what the rows of a question show, as an edit of its notice.
func (s *Store) reviseAsk(ctx context.Context, tx *sql.Tx, q *notifier.Question) error {
	shown := q.Asked
	shown.ID = 0 // it is that of the notice
	q.Extras.Ask = &shown
	q.Revision++
	return s.reviseNotice(ctx, tx, q.ID, &q.Extras)
}

// WithdrawAsk ends an open question without an outcome. It returns notifier.ErrNotFound if there is none, and
// a *notifier.RefusedAnswerError if it has ended.
func (s *Store) WithdrawAsk(ctx context.Context, by notifier.Actor, id int64) error {
	err := s.tx(ctx, func(tx *sql.Tx) error {
		q, _, err := s.lockAsk(ctx, tx, id)
		if err != nil {
			return err
		}
		if q.Asked.Ended() {
			return &notifier.RefusedAnswerError{Asked: q.Asked}
		}
		if err := s.endAsk(ctx, tx, &q, notifier.AskWithdrawn, ""); err != nil {
			return err
		}
		return s.record(ctx, tx, by, "ask.withdraw", notifier.NoticeRef(id), "")
	})
	return s.fail(err, "withdraw question %d", id)
}

// ExpireAsks ends up to limit open questions whose time is up, each in a transaction, and returns their ids. A concurrent call
// skips those of the other.
func (s *Store) ExpireAsks(ctx context.Context, limit int) (ended []int64, err error) {
	now := s.now()
	var due []int64
	err = s.all(ctx, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		due = append(due, id)
		return err
	}, `SELECT notice_id FROM asks WHERE state = 'open' AND closes_at <= $1 ORDER BY closes_at, notice_id LIMIT $2`, millis(now), pageSize(limit))
	for _, id := range slices.Clip(due) {
		if err != nil {
			break
		}
		err = s.tx(ctx, func(tx *sql.Tx) error {
			q, _, err := s.lockAsk(ctx, tx, id)
			if err != nil || q.Asked.Ended() {
				return err
			}
			return s.expire(ctx, tx, &q)
		})
		if err == nil {
			ended = append(ended, id)
		}
		if errors.Is(err, notifier.ErrNotFound) || errors.Is(err, notifier.ErrConflict) { // another call was faster
			err = nil
		}
	}
	return ended, s.fail(err, "end the questions whose time is up")
}

// forgetAnswer removes the name and the comment of a deleted user from a question. Their answer still counts. A question that
// waited only for this user ends.
func (s *Store) forgetAnswer(ctx context.Context, tx *sql.Tx, u *notifier.User, id int64) error {
	if _, err := tx.ExecContext(ctx, `UPDATE ask_answers SET comment = '' WHERE notice_id = $1 AND seq = $2`, id, u.Seq); err != nil {
		return err
	}
	q, to, err := s.lockAsk(ctx, tx, id)
	switch {
	case err != nil:
		return err
	case q.Asked.State == notifier.AskOpen:
		return s.settle(ctx, tx, &q, to)
	}
	without, changed := q.Asked.WithoutUser(u.Name)
	if !changed {
		return nil
	}
	q.Asked = *without
	return s.reviseAsk(ctx, tx, &q)
}
